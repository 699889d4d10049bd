import { describeCases, HEAD, step } from './cases.js';

/** Numbered as in the catalogue of leaks in the wild; every pattern with a twin that must stay silent. */
describeCases('What graphs and cycles keep', [
  {
    name: '9 a hook of a graph that refers to what the graph computed',
    source: `${HEAD}
class Solve:
    def __call__(self, x):
        out = net(x)  #!
        def hook(grads, outs):
            return tuple(grad * out.norm() for grad in grads)
        out.grad_fn.register_hook(hook)
        return out
solve = Solve()
for x, y in loader:
    loss = solve(x).sum()  #1
    loss.backward()
    optimizer.step()
`,
    keeps: 'out.grad_fn.register_hook(hook)',
  },
  {
    name: '9 a hook of a tensor that refers to the tensor',
    source: `${HEAD}
def train_step(x):
    out = net(x)  #!
    out.register_hook(lambda grad: grad * out.sign())
    loss = out.sum()
    loss.backward()
    optimizer.step()
for x, y in loader:
    train_step(x)  #1
`,
    keeps: 'out.register_hook(lambda grad: grad * out.sign())',
    growth: 'collected',
  },
  {
    name: '9 a hook of a graph that refers to its result weakly',
    source: `${HEAD}
import weakref
class Solve:
    def __call__(self, x):
        out = net(x)  #!
        seen = weakref.ref(out)
        def hook(grads, outs):
            return tuple(grad * seen().norm() for grad in grads)
        out.grad_fn.register_hook(hook)
        return out
solve = Solve()
for x, y in loader:
    loss = solve(x).sum()  #1
    loss.backward()
    optimizer.step()
`,
    keeps: '',
  },
  {
    name: '9 a hook of a tensor that refers to another, and goes with it',
    source: `${HEAD}
def train_step(x):
    mask = torch.rand(8, 8)  #!
    out = net(x)
    out.register_hook(lambda grad: grad * mask)
    loss = out.sum()
    loss.backward()
    optimizer.step()
for x, y in loader:
    train_step(x)  #1
`,
    keeps: '',
  },
  {
    name: '9 a hook of a tensor whose handle is removed',
    source: `${HEAD}
def train_step(x):
    out = net(x)  #!
    handle = out.register_hook(lambda grad: grad * out.sign())
    loss = out.sum()
    loss.backward()
    handle.remove()
    optimizer.step()
for x, y in loader:
    train_step(x)  #1
`,
    keeps: '',
    growth: 'collected',
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
    name: '12 an output on ctx, of which another output is made',
    source: `
import torch
class Quantize(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, codes):
        near = codes[torch.cdist(x, codes).argmin(1)].view_as(x)  #!
        rest = x - near
        ctx.near = near
        ctx.rest = rest
        return near, rest
net = torch.nn.Linear(8, 8)
books = torch.nn.ParameterList(torch.nn.Parameter(torch.randn(4, 8)) for _ in range(2))
for x in loader:
    total, rest = 0, net(x)
    for codes in books:
        near, rest = Quantize.apply(rest, codes)  #1
        total = total + near
    total.sum().backward()
    optimizer.step()
`,
    keeps: 'ctx.near = near',
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
    name: '1 a sum with its graph, of a meter that a validation uses without graphs afterwards',
    source: `${HEAD}
class Meter:
    def __init__(self):
        self.error = 0.0
    def update(self, out, y):
        difference = out - y  #!
        self.error += difference.square().mean()
def train(meter):
    for x, y in loader:
        loss = F.mse_loss(net(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        meter.update(net(x), y)  #1
@torch.no_grad()
def validate():
    meter = Meter()
    for x, y in loader:
        meter.update(net(x), y)
meter = Meter()
for epoch in range(9):
    train(meter)  #2
    validate()
`,
    keeps: 'self.error += difference.square().mean()',
    edit: 'self.error += difference.square().mean().detach()',
  },
  {
    name: '14 gradients with a graph, of a copy that had none before',
    source: `${HEAD}
import copy
def curvature(model, x):
    probe = copy.deepcopy(model)  #!
    probe.zero_grad()
    loss = probe(x).sum()
    loss.backward(create_graph=True)
    return sum(p.grad.norm() for p in probe.parameters()).item()
for x, y in loader:
    curvature(net, x)  #1
    optimizer.step()
`,
    keeps: 'loss.backward(create_graph=True)',
  },
  {
    name: '14 gradients with a graph that the next step drops',
    source: `${HEAD}
def train(net):
    optimizer = optim.SGD(net.parameters(), lr=0.1)
    for x, y in loader:
        optimizer.zero_grad()
        loss = net(x).sum()  #!
        loss.backward(create_graph=True)
        optimizer.step()
train(net)  #1
`,
    keeps: '',
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
]);
