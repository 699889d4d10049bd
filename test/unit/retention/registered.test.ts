import { describeCases, HEAD, step, WATCHED } from './cases.js';

/** Numbered as in the catalogue of leaks in the wild; every pattern with a twin that must stay silent. */
const METRIC = (made: string, update: string, after = ''): string => `${HEAD}
from torchmetrics.classification import AveragePrecision, BinaryAccuracy, BinaryAUROC
metric = ${made}
for epoch in range(9):
  for x, y in loader:
    out = net(x)  #!
    loss = F.mse_loss(out, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    ${update}
${after}
`;

describeCases('Memory that hooks, caches, blocks and errors hold', [
  {
    name: '7 what a metric computes in the library',
    source: METRIC('BinaryAUROC()', 'metric.update(out.sigmoid(), y)')
      .replace('  #!', '')
      .replace('(out.sigmoid(), y)', '(x, y)  #!'),
    keeps: 'metric.update(x, y)',
  },
  {
    name: '7 what a metric without lists computes',
    source: METRIC('BinaryAccuracy()', 'metric.update(x, y)  #!').replace('  #!', ''),
    keeps: '',
  },
  {
    name: '9 a mask of each step as the key of a cache, in a layer of a list',
    source: `${HEAD}
from functools import lru_cache
@lru_cache(maxsize=None)
def norm(edges, n):
    return edges + n
class Conv(nn.Module):
    def forward(self, x, edges):
        return x * norm(edges, x.size(0)).sum()
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.convs = nn.ModuleList([Conv(), Conv()])
        self.norms = nn.ModuleList([nn.LayerNorm(8) for _ in self.convs])
    def forward(self, x, edges):
        edges = drop(edges)  #1
        for conv, norm in zip(self.convs, self.norms):
            x = norm(conv(x, edges))
        return x
def drop(edges):
    keep = torch.rand(edges.size(1), device=edges.device) >= 0.1
    return edges[:, keep]  #!
net = Net()
for x, edges in loader:
    net(x, edges).sum().backward()  #2
    optimizer.step()
`,
    keeps: '@lru_cache(maxsize=None)',
  },
  {
    name: '9 a slice of each step as the key of a cache, whose rows are a view',
    source: `${HEAD}
from functools import lru_cache
@lru_cache(maxsize=None)
def norm(rows):
    return rows.sum().item()
for x, y in loader:
    rows = x[:, 2:y]  #!
    norm(rows)
    optimizer.step()
`,
    keeps: '',
  },
  {
    name: '8 a hook per step that keeps an output',
    source: `${HEAD}
def probe(layer):
    seen = []
    layer.register_forward_hook(lambda module, inputs, output: seen.append(output))
    return seen
${step(WATCHED, 'pass').replace(WATCHED, `seen = probe(net)\n    ${WATCHED}`)}`,
    keeps: 'layer.register_forward_hook(lambda module, inputs, output: seen.append(output))',
  },
  {
    name: '8 an object per step whose hook keeps the last output',
    source: `${HEAD}
class Watch:
    def __init__(self, module):
        self.value = None
        module.register_forward_hook(self.see)
    def see(self, module, args, out):
        self.value = out.clone()  #!
def main():
    for x, y in loader:
        watch = Watch(net)
        loss = F.mse_loss(net(x), y)  #1
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
main()  #2
`,
    keeps: 'module.register_forward_hook(self.see)',
  },
  {
    name: '8 objects in a dictionary of the program, which removes their hooks',
    source: `${HEAD}
class Watch:
    def __init__(self, module):
        self.value = None
        self.handle = module.register_forward_hook(self.see)
    def see(self, module, args, out):
        self.value = out.clone()  #!
    def close(self):
        self.handle.remove()
class Watches(dict):
    def __init__(self, modules):
        for module in modules:
            self[module] = Watch(module)
    def __enter__(self):
        return self
    def __exit__(self, *error):
        for _, watch in self.items():
            watch.close()
def main():
    for x, y in loader:
        with Watches([net]) as watches:
            loss = F.mse_loss(net(x), y)  #1
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
main()  #2
`,
    keeps: '',
  },
  {
    name: '8 a list of the program that its steps fill',
    source: `${HEAD}
class Outputs(list):
    def keep(self, out):
        self.append(out)
outputs = Outputs()
${step(WATCHED, 'outputs.keep(out)').replace(HEAD, '')}`,
    keeps: 'self.append(out)',
  },
  {
    name: '8 a list of the program that each epoch clears',
    source: `${HEAD}
class Outputs(list):
    def keep(self, out):
        self.append(out)
outputs = Outputs()
for epoch in range(9):
    for x, y in loader:
        out = net(x)  #!
        outputs.keep(out)
        loss = F.mse_loss(out, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    outputs.clear()
`,
    keeps: '',
  },
  {
    name: '8 a hook per step whose handle is removed',
    source: `${HEAD}
def probe(layer):
    seen = []
    return seen, layer.register_forward_hook(lambda module, inputs, output: seen.append(output))
${step(WATCHED, 'handle.remove()').replace(WATCHED, `seen, handle = probe(net)\n    ${WATCHED}`)}`,
    keeps: '',
  },
  {
    name: '8 one hook whose list only grows',
    source: `${HEAD}
features = []
def remember(module, inputs, output):
    features.append(output)
net.register_forward_hook(remember)
${step(WATCHED, 'pass').replace(HEAD, '')}`,
    keeps: 'features.append(output)',
  },
  {
    name: '8 one hook that overwrites what it saw',
    source: `${HEAD}
features = {}
def remember(module, inputs, output):
    features['layer'] = output
net.register_forward_hook(remember)
${step(WATCHED, 'pass').replace(HEAD, '')}`,
    keeps: '',
  },
  {
    name: '10 exceptions with their tracebacks',
    source: `${HEAD}
errors = []
for x, y in loader:
    try:
        out = net(x)  #!
        loss = F.mse_loss(out, y)
        loss.backward()
    except RuntimeError as error:
        errors.append(error)
    optimizer.step()
`,
    keeps: 'errors.append(error)',
    edit: 'errors.append(error.with_traceback(None))',
  },
  {
    name: '10 exceptions in tuples',
    source: `${HEAD}
errors = []
for x, y in loader:
    try:
        out = net(x)  #!
        loss = F.mse_loss(out, y)
        loss.backward()
    except RuntimeError as error:
        errors.append((x, error))
    optimizer.step()
`,
    keeps: 'errors.append((x, error))',
    edit: 'errors.append((x, error.with_traceback(None)))',
  },
  {
    name: '10 exceptions that a context manager stores',
    source: `${HEAD}
import contextlib
class Guard:
    def __init__(self):
        self.errors = []
    @contextlib.contextmanager
    def protect(self):
        try:
            yield
        except RuntimeError as error:
            self.errors.append(error)
guard = Guard()
def main():
    for x, y in loader:
        with guard.protect():
            loss = F.mse_loss(net(x), y)  #!
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
main()  #1
`,
    keeps: 'self.errors.append(error)',
    edit: 'self.errors.append(error.with_traceback(None))',
  },
  {
    name: '10 exceptions that the end of a block stores',
    source: `${HEAD}
class Guard:
    def __init__(self):
        self.errors = []
    def __enter__(self):
        return self
    def __exit__(self, kind, error, traceback):
        if error is not None:
            self.errors.append(error)
        return True
guard = Guard()
def main():
    for x, y in loader:
        with guard:
            loss = F.mse_loss(net(x), y)  #!
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
main()  #1
`,
    keeps: 'self.errors.append(error)',
  },
  {
    name: '10 numbers of a context manager',
    source: `${HEAD}
import contextlib
class Guard:
    def __init__(self):
        self.errors = 0
        self.texts = []
    @contextlib.contextmanager
    def protect(self):
        try:
            yield
        except RuntimeError as error:
            self.errors += 1
            self.texts.append(str(error))
guard = Guard()
def main():
    for x, y in loader:
        with guard.protect():
            loss = F.mse_loss(net(x), y)  #!
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
main()  #1
`,
    keeps: '',
  },
  {
    name: '10 texts of exceptions',
    source: `${HEAD}
errors = []
for x, y in loader:
    try:
        out = net(x)  #!
        loss = F.mse_loss(out, y)
        loss.backward()
    except RuntimeError as error:
        errors.append(str(error))
    optimizer.step()
`,
    keeps: '',
  },
  {
    name: '15 an autocast block around the loop',
    source: `${HEAD}
with torch.autocast('cuda'):
    for x, y in loader:
        member = nn.Linear(8, 8)  #!
        loss = member(x).sum()
        loss.backward()
        optimizer.step()
`,
    keeps: "with torch.autocast('cuda'):",
  },
  {
    name: '15 an autocast block in each step',
    source: `${HEAD}
for x, y in loader:
    with torch.autocast('cuda'):
        member = nn.Linear(8, 8)  #!
        loss = member(x).sum()
    loss.backward()
    optimizer.step()
`,
    keeps: '',
  },
  {
    name: '15 an autocast block without its cache',
    source: `${HEAD}
with torch.autocast('cuda', cache_enabled=False):
    for x, y in loader:
        member = nn.Linear(8, 8)  #!
        loss = member(x).sum()
        loss.backward()
        optimizer.step()
`,
    keeps: '',
  },
  {
    name: '17 a replay memory without a bound',
    source: step(
      'frames = torch.rand(4, 8).cuda()  #!\n    loss = net(frames).sum()',
      'memory.append((frames, y))',
      'memory = []',
    ),
    keeps: 'memory.append((frames, y))',
  },
  {
    name: '17 a ring of frames',
    source: step(
      'frames = torch.rand(4, 8).cuda()  #!\n    loss = net(frames).sum()\n    n += 1',
      'memory[n % 100] = frames',
      'memory = [None] * 100\nn = 0',
    ),
    keeps: '',
  },
  {
    name: '18 a cache without a bound',
    source: `
import functools, torch
@functools.cache
def mask(n):
    return torch.ones(n, n).triu()  #!
for x in loader:
    loss = (net(x) * mask(len(x))).sum()  #1
    loss.backward()
    optimizer.step()
`,
    keeps: '@functools.cache',
  },
  {
    name: '18 a cache on a method',
    source: `
from functools import lru_cache
import torch
class Model(torch.nn.Module):
    @lru_cache(maxsize=None)
    def mask(self, n):
        return torch.ones(n, n).triu()  #!
    def forward(self, x):
        return x + self.mask(len(x))  #1
model = Model()
for x in loader:
    loss = model(x).sum()  #2
    loss.backward()
    optimizer.step()
`,
    keeps: '@lru_cache(maxsize=None)',
  },
  {
    name: '18 a small cache',
    source: `
import functools, torch
@functools.lru_cache(maxsize=6)
def mask(n):
    return torch.ones(n, n).triu()  #!
for x in loader:
    loss = (net(x) * mask(len(x))).sum()  #1
    loss.backward()
    optimizer.step()
`,
    keeps: '',
  },
  {
    name: '16 a checkpointed function that remembers what it saw',
    source: `${HEAD}
from torch.utils.checkpoint import checkpoint
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(8, 8)
        self.seen = []
    def inner(self, x):
        h = self.linear(x)  #!
        self.seen.append(h)
        return torch.relu(h)
    def forward(self, x):
        return checkpoint(self.inner, x, use_reentrant=False)  #1
block = Block()
for x, y in loader:
    loss = block(x).sum()  #2
    loss.backward()
    optimizer.step()
`,
    keeps: 'self.seen.append(h)',
  },
  {
    name: '7 a metric that keeps each update',
    source: METRIC('BinaryAUROC()', 'metric.update(out.detach(), y)'),
    keeps: 'metric.update(out.detach(), y)',
  },
  {
    name: '7 a metric that is called',
    source: METRIC('AveragePrecision(task="binary")', 'metric(out.detach(), y)'),
    keeps: 'metric(out.detach(), y)',
  },
  {
    name: '7 a metric that is reset after each epoch',
    source: METRIC('BinaryAUROC()', 'metric.update(out.detach(), y)', '  metric.reset()'),
    keeps: '',
  },
  {
    name: '7 a metric that keeps sums',
    source: METRIC('BinaryAccuracy()', 'metric.update(out.detach(), y)'),
    keeps: '',
  },
  {
    name: '16 a checkpointed function that remembers the last only',
    source: `${HEAD}
from torch.utils.checkpoint import checkpoint
class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(8, 8)
        self.seen = {}
    def inner(self, x):
        h = self.linear(x)  #!
        self.seen['last'] = h
        return torch.relu(h)
    def forward(self, x):
        return checkpoint(self.inner, x, use_reentrant=False)  #1
block = Block()
for x, y in loader:
    loss = block(x).sum()  #2
    loss.backward()
    optimizer.step()
`,
    keeps: '',
  },
  {
    name: '16 a checkpointed function that hands on what it saw, beside the stack',
    source: `${HEAD}
from torch.utils import checkpoint
seen = []
def inner(h):
    seen.append(h)
    return torch.relu(h)
for x, y in loader:
    out = net(x)  #!
    loss = checkpoint.checkpoint(inner, out).sum()
    loss.backward()
    optimizer.step()
`,
    keeps: 'seen.append(h)',
  },
]);
