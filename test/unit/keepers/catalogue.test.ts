import assert from 'node:assert/strict';
import { keptAt, program } from './follow.js';

/** What stands around most programs. */
const HEAD = `
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import optim

net = nn.Linear(8, 8).cuda()
optimizer = optim.SGD(net.parameters(), lr=0.1)
`;

interface Case {
  name: string;
  source: string;
  /** The statement that keeps; empty for a look-alike that must stay silent. */
  keeps: string;
  growth?: 'collected';
  bornEvery?: number;
}

const step = (loss: string, rest: string, before = ''): string => `${HEAD}
${before}
for x, y in loader:
    ${loss}
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    ${rest}
`;
const WATCHED = 'out = net(x)  #!\n    loss = F.mse_loss(out, y)';

/** Numbered as in the catalogue of leaks in the wild; every pattern with a twin that must stay silent. */
const CASES: Case[] = [
  {
    name: '1 a running total with its graph',
    source: step('aux = F.mse_loss(net(x), y)  #!\n    loss = net(x).sum()', 'total += aux', 'total = 0.0'),
    keeps: 'total += aux',
  },
  {
    name: '1 a running total of numbers',
    source: step('aux = F.mse_loss(net(x), y)  #!\n    loss = net(x).sum()', 'total += aux.item()', 'total = 0.0'),
    keeps: '',
  },
  {
    name: '1 a running total without its graph',
    source: step('aux = F.mse_loss(net(x), y)  #!\n    loss = net(x).sum()', 'total += aux.detach()', 'total = 0.0'),
    keeps: '',
  },
  {
    name: '1 a sum of this step only',
    source: step('loss = F.mse_loss(net(x), y)  #!\n    loss += net(x).abs().mean()', 'pass'),
    keeps: '',
  },
  {
    name: '1 a sum through which every step runs backward',
    source: step(
      'out = net(x)  #!\n    loss = F.mse_loss(out, y)\n    loss = loss + out.abs().sum()',
      'print(float(loss))',
    ),
    keeps: '',
  },
  {
    name: '2 outputs in a list',
    source: step(WATCHED, 'outputs.append(out)', 'outputs = []'),
    keeps: 'outputs.append(out)',
  },
  {
    name: '2 outputs in host memory',
    source: step(WATCHED, 'outputs.append(out.detach().cpu())', 'outputs = []'),
    keeps: '',
  },
  {
    name: '2 outputs in a bounded deque',
    source: `import collections\n${step(WATCHED, 'outputs.append(out)', 'outputs = collections.deque(maxlen=10)')}`,
    keeps: '',
  },
  {
    name: '2 outputs in a list that every hundredth step clears',
    source: step(WATCHED, 'outputs.append(out)\n    if len(outputs) > 100:\n        outputs.clear()', 'outputs = []'),
    keeps: '',
  },
  {
    name: '2 a window that slides',
    source: step(WATCHED, 'outputs.append(out)\n    del outputs[:-30]', 'outputs = []'),
    keeps: '',
  },
  {
    name: '2 a window that is cut by assignment',
    source: step(WATCHED, 'outputs.append(out)\n    outputs = outputs[-30:]', 'outputs = []'),
    keeps: '',
  },
  {
    name: '2 a list that each step makes anew',
    source: step(`outputs = []\n    ${WATCHED}`, 'outputs.append(out)'),
    keeps: '',
  },
  {
    name: '2 losses of a dictionary under the step',
    source: step(
      'aux = F.mse_loss(net(x), y)  #!\n    loss = net(x).sum()\n    n += 1',
      'history[n] = aux',
      'history = {}\nn = 0',
    ),
    keeps: 'history[n] = aux',
  },
  {
    name: '2 the last loss under a fixed key',
    source: step('aux = F.mse_loss(net(x), y)  #!\n    loss = net(x).sum()', "history['aux'] = aux", 'history = {}'),
    keeps: '',
  },
  {
    name: '3 a training step that returns what it need not',
    source: `
import torch.nn.functional as F
class Module:
    def training_step(self, batch):
        recon = self.net(batch)  #!
        loss = F.mse_loss(recon, batch)
        return {'loss': loss, 'recon': recon}
def fit(module, loader, optimizer):
    outputs = []
    for batch in loader:
        result = module.training_step(batch)  #1
        result['loss'].backward()
        optimizer.step()
        outputs.append(result)
fit(Module(), loader, optimizer)  #2
`,
    keeps: 'outputs.append(result)',
  },
  {
    name: '3 a training step whose result is used and dropped',
    source: `
import torch.nn.functional as F
class Module:
    def training_step(self, batch):
        recon = self.net(batch)  #!
        loss = F.mse_loss(recon, batch)
        return {'loss': loss, 'recon': recon}
def fit(module, loader, optimizer):
    outputs = []
    for batch in loader:
        result = module.training_step(batch)  #1
        result['loss'].backward()
        optimizer.step()
        outputs.append(result['loss'].item())
fit(Module(), loader, optimizer)  #2
`,
    keeps: '',
  },
  {
    name: '4 whole outputs in a dictionary in a list',
    source: step(WATCHED, "output_lst.append({'model_output': out, 'n': len(x)})", 'output_lst = []'),
    keeps: "output_lst.append({'model_output': out, 'n': len(x)})",
  },
  {
    name: '4 numbers of the outputs',
    source: step(WATCHED, "output_lst.append({'mean': out.mean().item(), 'n': out.shape[0]})", 'output_lst = []'),
    keeps: '',
  },
  {
    name: '6 a Lightning module that keeps step outputs',
    source: `
import torch
import pytorch_lightning as pl
class Lit(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Linear(4, 4)
        self.step_outputs = []
    def validation_step(self, batch, batch_idx):
        out = self.net(batch)  #!
        self.step_outputs.append(out)
        return out.mean()
def main():
    trainer = pl.Trainer()
    trainer.fit(Lit(), loader)  #1
main()  #2
`,
    keeps: 'self.step_outputs.append(out)',
  },
  {
    name: '6 a Lightning module that clears them at the end of the epoch',
    source: `
import torch
import pytorch_lightning as pl
class Lit(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = torch.nn.Linear(4, 4)
        self.step_outputs = []
    def validation_step(self, batch, batch_idx):
        out = self.net(batch)  #!
        self.step_outputs.append(out)
        return out.mean()
    def on_validation_epoch_end(self):
        self.step_outputs.clear()
def main():
    trainer = pl.Trainer()
    trainer.fit(Lit(), loader)  #1
main()  #2
`,
    keeps: '',
  },
  {
    name: '7 a metric that nobody resets',
    source: `
class Metric:
    def __init__(self):
        self.reset()
    def reset(self):
        self.preds = []
    def update(self, preds):
        self.preds.append(preds.detach())
metric = Metric()
${step(WATCHED, 'metric.update(out)')}`,
    keeps: 'self.preds.append(preds.detach())',
  },
  {
    name: '7 a metric that each epoch resets',
    source: `
class Metric:
    def __init__(self):
        self.reset()
    def reset(self):
        self.preds = []
    def update(self, preds):
        self.preds.append(preds.detach())
metric = Metric()
${step(WATCHED, 'metric.update(out)')}
metric.reset()
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
    name: '11 a hidden state that is never detached',
    source: step(
      'out, hidden = rnn(x, hidden)  #!\n    loss = head(out.detach()).sum()',
      'pass',
      'rnn = nn.GRU(8, 8)\nhead = nn.Linear(8, 1)\nhidden = torch.zeros(1, 4, 8)',
    ),
    keeps: 'out, hidden = rnn(x, hidden)',
  },
  {
    name: '11 a hidden state that is detached',
    source: step(
      'out, hidden = rnn(x, hidden)  #!\n    hidden = hidden.detach()\n    loss = head(out).sum()',
      'pass',
      'rnn = nn.GRU(8, 8)\nhead = nn.Linear(8, 1)\nhidden = torch.zeros(1, 4, 8)',
    ),
    keeps: '',
  },
  {
    name: '11 a hidden state that a helper detaches',
    source: step(
      'hidden = repackage(hidden)\n    out, hidden = rnn(x, hidden)  #!\n    loss = head(out).sum()',
      'pass',
      'def repackage(h):\n    if isinstance(h, torch.Tensor):\n        return h.detach()\n    return tuple(repackage(v) for v in h)\nrnn = nn.LSTM(8, 8)\nhead = nn.Linear(8, 1)\nhidden = torch.zeros(1, 4, 8)',
    ),
    keeps: '',
  },
  {
    name: '12 an output on ctx',
    source: `
import torch
class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x * x  #!
        ctx.y = y
        return y
for x in loader:
    Square.apply(x).sum().backward()  #1
    optimizer.step()
`,
    keeps: 'ctx.y = y',
    growth: 'collected',
  },
  {
    name: '12 an input saved as it should be',
    source: `
import torch
class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = x * x  #!
        ctx.save_for_backward(y)
        return y
for x in loader:
    Square.apply(x).sum().backward()  #1
    optimizer.step()
`,
    keeps: '',
    growth: 'collected',
  },
  {
    name: '13 a running mean with its graph',
    source: `${HEAD}
class Norm(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(8, 8)
        self.mean = torch.zeros(8)
    def forward(self, x):
        y = self.linear(x)  #!
        self.mean = 0.9 * self.mean + 0.1 * y.mean(0)
        return y - self.mean.detach()
model = Norm()
for x, y in loader:
    loss = model(x).sum()  #1
    loss.backward()
    optimizer.step()
`,
    keeps: 'self.mean = 0.9 * self.mean + 0.1 * y.mean(0)',
  },
  {
    name: '13 a running mean under no_grad',
    source: `${HEAD}
class Norm(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(8, 8)
        self.mean = torch.zeros(8)
    def forward(self, x):
        y = self.linear(x)  #!
        with torch.no_grad():
            self.mean = 0.9 * self.mean + 0.1 * y.mean(0)
        return y - self.mean
model = Norm()
for x, y in loader:
    loss = model(x).sum()  #1
    loss.backward()
    optimizer.step()
`,
    keeps: '',
  },
  {
    name: '14 gradients with a graph',
    source: `${HEAD}
def penalty(weight, x):
    loss = F.linear(x, weight).sum()  #!
    loss.backward(create_graph=True)
    return weight.grad.norm()
for x, y in loader:
    penalty(net.weight.detach().clone().requires_grad_(), x)  #1
    optimizer.step()
`,
    keeps: 'loss.backward(create_graph=True)',
  },
  {
    name: '14 gradients with a graph that are dropped',
    source: `${HEAD}
def penalty(weight, x):
    loss = F.linear(x, weight).sum()  #!
    loss.backward(create_graph=True)
    norm = weight.grad.norm().item()
    weight.grad = None
    return norm
for x, y in loader:
    penalty(net.weight.detach().clone().requires_grad_(), x)  #1
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
    name: '19 a lambda of its own object',
    source: `
import torch
class Episode:
    def __init__(self, n):
        self.states = torch.zeros(n, n).cuda()  #!
        self.score = lambda: self.states.sum()
for n in loader:
    episode = Episode(n)  #1
    print(episode.score())
`,
    keeps: 'self.score = lambda: self.states.sum()',
    growth: 'collected',
  },
  {
    name: '19 a method instead of a lambda',
    source: `
import torch
class Episode:
    def __init__(self, n):
        self.states = torch.zeros(n, n).cuda()  #!
    def score(self):
        return self.states.sum()
for n in loader:
    episode = Episode(n)  #1
    print(episode.score())
`,
    keeps: '',
    growth: 'collected',
  },
  {
    name: '20 losses of the validation, kept with their graphs',
    source: `${HEAD}
def validate(batches):
    total = 0
    for x, y in batches:
        total += F.mse_loss(net(x), y)  #!
    return total / len(batches)
curve = []
for x, y in loader:
    loss = F.mse_loss(net(x), y)
    loss.backward()
    optimizer.step()
    curve.append(validate(held_out))  #1
`,
    keeps: 'curve.append(validate(held_out))',
  },
  {
    name: '20 losses of a validation without graphs',
    source: `${HEAD}
@torch.no_grad()
def validate(batches):
    total = 0
    for x, y in batches:
        out = net(x)  #!
        total += F.mse_loss(out, y)
    return (total / len(batches)).item()
curve = []
for x, y in loader:
    loss = F.mse_loss(net(x), y)
    loss.backward()
    optimizer.step()
    curve.append(validate(held_out))  #1
`,
    keeps: '',
  },
  {
    name: '21 predictions of a whole evaluation',
    source: `${HEAD}
def evaluate(batches):
    preds = []
    with torch.no_grad():
        for x in batches:
            preds.append(net(x))  #!
    return torch.cat(preds)
evaluate(loader)  #1
`,
    keeps: 'preds.append(net(x))',
  },
  {
    name: '21 predictions in host memory',
    source: `${HEAD}
def evaluate(batches):
    preds = []
    with torch.no_grad():
        for x in batches:
            preds.append(net(x).cpu())  #!
    return torch.cat(preds)
evaluate(loader)  #1
`,
    keeps: '',
  },
  {
    name: '22 a logger that is given tensors',
    source: `
class Logger:
    rows = []
    def log(self, **values):
        self.rows.append(values)
logger = Logger()
${step('loss = F.mse_loss(net(x), y)  #!', 'logger.log(loss=loss)')}`,
    keeps: 'self.rows.append(values)',
  },
  {
    name: '22 a logger that is given numbers',
    source: `
class Logger:
    rows = []
    def log(self, **values):
        self.rows.append(values)
logger = Logger()
${step('loss = F.mse_loss(net(x), y)  #!', 'logger.log(loss=loss.item())')}`,
    keeps: '',
  },
  {
    name: '23 a study that keeps schedulers',
    source: `
import torch
from torch import nn
def trial(study):
    net = nn.Linear(64, 64).cuda()  #!
    optimizer = torch.optim.Adam(net.parameters())
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 10)
    for x in loader:
        loss = net(x).sum()
        loss.backward()
        optimizer.step()
    study.append({'loss': loss.item(), 'scheduler': scheduler})
study = []
for n in range(10):
    trial(study)  #1
`,
    keeps: "study.append({'loss': loss.item(), 'scheduler': scheduler})",
  },
  {
    name: '23 a study that keeps results',
    source: `
import torch
from torch import nn
def trial(study):
    net = nn.Linear(64, 64).cuda()  #!
    optimizer = torch.optim.Adam(net.parameters())
    for x in loader:
        loss = net(x).sum()
        loss.backward()
        optimizer.step()
    study.append({'loss': loss.item(), 'lr': optimizer.param_groups[0]['lr']})
study = []
for n in range(10):
    trial(study)  #1
`,
    keeps: '',
  },
  {
    name: '26 nodes that know their parents',
    source: `
import torch
class Node:
    def __init__(self, state, parent=None):
        self.state = state
        self.parent = parent
        self.children = []
for x in loader:
    root = Node(torch.zeros(9, 9).cuda())  #!
    root.children.append(Node(x, root))
`,
    keeps: 'self.parent = parent',
    growth: 'collected',
  },
  {
    name: '26 nodes that know their parents weakly',
    source: `
import torch, weakref
class Node:
    def __init__(self, state, parent=None):
        self.state = state
        self.parent = weakref.ref(parent) if parent is not None else None
        self.children = []
for x in loader:
    root = Node(torch.zeros(9, 9).cuda())  #!
    root.children.append(Node(x, root))
`,
    keeps: '',
    growth: 'collected',
  },
  {
    name: '29 a clone in place of a detached copy',
    source: step('aux = F.mse_loss(net(x), y)  #!\n    loss = net(x).sum()', 'curve.append(aux.clone())', 'curve = []'),
    keeps: 'curve.append(aux.clone())',
  },
  {
    name: '29 a detached copy',
    source: step('out = net(x)  #!\n    loss = out.sum()', 'curve.append(out.mean().detach())', 'curve = []'),
    keeps: '',
  },
  {
    name: '30 an environment whose state carries its graph',
    source: `${HEAD}
state = torch.zeros(8)
for n in range(1000):
    action = policy(state)  #!
    state = dynamics(state, action)
`,
    keeps: 'state = dynamics(state, action)',
  },
  {
    name: '30 an environment without gradients',
    source: `${HEAD}
state = torch.zeros(8)
with torch.no_grad():
    for n in range(1000):
        action = policy(state)  #!
        state = dynamics(state, action)
`,
    keeps: '',
  },
  {
    name: '31 a reporter that clones where it should detach',
    source: `
class Reporter:
    def __init__(self):
        self.observation = {}
        self.seen = []
    def report(self, values):
        self.seen.append({k: v.clone() for k, v in values.items()})
reporter = Reporter()
${step('aux = F.mse_loss(net(x), y)  #!\n    loss = net(x).sum()', "reporter.report({'aux': aux})")}`,
    keeps: 'self.seen.append({k: v.clone() for k, v in values.items()})',
  },
  {
    name: '31 a reporter that detaches to numbers',
    source: `
class Reporter:
    def __init__(self):
        self.seen = []
    def report(self, values):
        self.seen.append({k: float(v) for k, v in values.items()})
reporter = Reporter()
${step('aux = F.mse_loss(net(x), y)  #!\n    loss = net(x).sum()', "reporter.report({'aux': aux})")}`,
    keeps: '',
  },
];

describe('The source of a leak', () => {
  for (const { name, source, keeps, growth, bornEvery } of CASES) {
    it(`${keeps === '' ? 'is silent' : 'is found'}: ${name}`, () => {
      assert.equal(keptAt(program(source), growth ?? 'kept', bornEvery ?? null), keeps);
    });
  }
});
