import assert from 'node:assert/strict';
import { readModule } from '../../../src/core/python/readModule.js';
import { holderOf, keptAt, program, type Program } from './follow.js';

/** One leak, as different people write it. */
const STYLES: Record<string, { source: string; keeps: string }> = {
  'a trainer class with annotations and long statements': {
    source: `
from __future__ import annotations
from dataclasses import dataclass, field
import torch
from torch import nn, Tensor

@dataclass
class State:
    losses: list[Tensor] = field(default_factory=list)
    step: int = 0

class Trainer:
    def __init__(self, model: nn.Module, loader, *, lr: float = 1e-3) -> None:
        self.model: nn.Module = model
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=lr)
        self.loader = loader
        self.history: dict[str, list[Tensor]] = {"loss": [], "aux": []}

    def train_one_epoch(self, epoch: int) -> float:
        for step, (inputs, targets) in enumerate(self.loader):
            loss, aux = self.compute_loss(  #1
                inputs,
                targets,
            )
            self.optimizer.zero_grad(set_to_none=True)
            loss.backward()
            self.optimizer.step()
            self.history[
                "aux"
            ].append(aux)
        return 0.0

    def compute_loss(self, inputs: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
        logits = self.model(inputs)
        hidden = self.model.features(inputs)  #!
        loss = nn.functional.cross_entropy(logits, targets)
        return loss, (hidden ** 2).mean()

    def fit(self, epochs: int = 3) -> None:
        for epoch in range(epochs):
            self.train_one_epoch(epoch)  #2

if __name__ == "__main__":
    Trainer(nn.Linear(4, 4), []).fit()  #3
`,
    keeps: 'self.history[',
  },
  'a closure with a walrus and a comprehension': {
    source: `
import torch
def run(model, optimizer, batches):
    kept = []
    def step(batch):
        if (out := model(batch)) is not None:  #!
            kept.extend([o for o in out.unbind()])
        return model(batch).mean()
    it = iter(batches)
    while (batch := next(it, None)) is not None:
        loss = step(batch)  #1
        loss.backward()
        optimizer.step()
run(torch.nn.Linear(3, 3), make(), data)  #2
`,
    keeps: 'kept.extend([o for o in out.unbind()])',
  },
  'async code with a queue of tuples': {
    source: `
import asyncio, torch
net = torch.nn.Linear(3, 3)
queue = asyncio.Queue()
async def step(x):
    out = net(x)  #!
    await queue.put((x.shape, out))
async def main():
    async for x in stream():
        await step(x)  #1
asyncio.run(main())  #2
`,
    keeps: 'await queue.put((x.shape, out))',
  },
  'decorated steps behind a context': {
    source: `
import functools, torch
def logged(fn):
    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        return fn(*args, **kwargs)
    return wrapper
net = torch.nn.Linear(3, 3)
seen = {}
@logged
def step(i, x):
    out = net(x)  #!
    with open('log') as log:
        seen[i] = out
for i, x in enumerate(data):
    step(i, x)  #1
`,
    keeps: 'seen[i] = out',
  },
  'tabs, a semicolon and Python 2': {
    source: `
import torch
net = torch.nn.Linear(3, 3)
losses = []
for x in data:
\tout = net(x)  #!
\tprint "loss", out
\ttry:
\t\tn = 1; losses.append(out)
\texcept ValueError, e:
\t\tprint e
`,
    keeps: 'n = 1; losses.append(out)',
  },
  'a notebook with magics and broken lines': {
    source: `
%matplotlib inline
!pip install torch
import torch
net = torch.nn.Linear(3, 3)
def broken(:
    pass
losses = []
for x in data:
    out = net(x)  #!
    losses.append(out)
`,
    keeps: 'losses.append(out)',
  },
  'a global that a function rebinds': {
    source: `
import torch
net = torch.nn.Linear(3, 3)
total = 0
def step(x):
    global total
    loss = net(x).sum()  #!
    total = total + loss
for x in data:
    step(x)  #1
`,
    keeps: 'total = total + loss',
  },
  'a default argument': {
    source: `
import torch
net = torch.nn.Linear(3, 3)
def step(x, seen=[]):
    out = net(x)  #!
    seen.append(out)
    return len(seen)
for x in data:
    step(x)  #1
`,
    keeps: 'seen.append(out)',
  },
  'callbacks that close over the loss': {
    source: `
import torch
from functools import partial
net = torch.nn.Linear(3, 3)
callbacks = []
for x in data:
    loss = net(x).sum()  #!
    callbacks.append(partial(print, loss))
`,
    keeps: 'callbacks.append(partial(print, loss))',
  },
  'a running value of an object that the first iteration puts under a key': {
    source: `
import torch
class Meter:
    def __init__(self):
        self.value = 0
    def update(self, value):
        self.value = 0.9 * self.value + 0.1 * value
class Meters:
    def __init__(self):
        self.meters = {}
    def update(self, **values):
        for name, value in values.items():
            self.meters.setdefault(name, Meter()).update(value)
def train(net, batches):
    meters = Meters()
    for x in batches:
        loss = net(x).mean()  #!
        meters.update(loss=loss)
train(torch.nn.Linear(8, 8), [])  #1
`,
    keeps: 'self.value = 0.9 * self.value + 0.1 * value',
  },
  'an attribute that a longer tensor replaces': {
    source: `
import torch
class Bank:
    def __init__(self):
        self.keys = torch.zeros(0, 8)
    def add(self, keys):
        longer = torch.cat([keys, self.keys])  #!
        self.keys = longer
def train(net, batches):
    bank = Bank()
    for x in batches:
        bank.add(net(x).detach())  #1
train(torch.nn.Linear(8, 8), [])  #2
`,
    keeps: 'self.keys = longer',
  },
  'a buffer that is concatenated': {
    source: `
import torch
buffer = torch.zeros(0, 4)
for x in data:
    buffer = torch.cat([buffer, x.detach()])  #!
`,
    keeps: 'buffer = torch.cat([buffer, x.detach()])',
  },
  'a linked list': {
    source: `
import torch
class Node:
    def __init__(self, value, before):
        self.value = value
        self.before = before
last = None
nodes = []
for x in data:
    out = torch.relu(x)  #!
    last = Node(out, last)
    nodes.append(last)
`,
    keeps: 'nodes.append(last)',
  },
  'a condition that every third step meets': {
    source: `
import torch
net = torch.nn.Linear(3, 3)
losses = []
for i, x in enumerate(data):
    out = net(x)  #!
    if i % 3 == 0:
        losses.append(out)
`,
    keeps: 'losses.append(out)',
  },
};

/** Code that resembles a leak, with growth behind it that comes from elsewhere. */
const INNOCENT: Record<string, string> = {
  'metrics as numbers, and the last batch': `
import torch
net = torch.nn.Linear(3, 3)
class Meter:
    def __init__(self):
        self.sum, self.count, self.values = 0.0, 0, []
    def update(self, value, n=1):
        self.sum += value * n
        self.count += n
        self.values.append(float(value))
meter = Meter()
state = {}
for x in data:
    out = net(x)  #!
    meter.update(out.mean().item(), len(x))
    state['last'] = out
    print(f'{out.mean():.3f}')
`,
  'texts of predictions': `
import torch
net = torch.nn.Linear(3, 3)
texts, ids = [], []
for x in data:
    out = net(x)  #!
    ids.extend(out.argmax(-1).tolist())
    texts.append(str(out.shape))
`,
  'a module that returns itself': `
import torch
class Graph(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.messages = []
    def forward(self, x):
        self.messages.append(torch.tanh(x))  #!
        return x.sum()
def main():
    graph = Graph()
    for epoch in range(9):
        graph.messages.clear()
        for x in data:
            graph = graph.train()
            graph(torch.nn.Parameter(x))  #1
main()  #2
`,
  'gradient accumulation': `
import torch
net = torch.nn.Linear(3, 3)
total = 0
for i, x in enumerate(data):
    loss = net(x).sum()  #!
    total = total + loss
    if i % 4 == 3:
        total.backward()
        optimizer.step()
        total = 0
`,
  'layers that collect within one forward': `
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(3, 3) for _ in range(4))
    def forward(self, x):
        outs = []
        for layer in self.layers:
            x = layer(x)  #!
            outs.append(x)
        return torch.stack(outs).mean()
net = Net()
for x in data:
    loss = net(x)  #1
    loss.backward()
    optimizer.step()
`,
  'accuracy as a tensor without a graph': `
import torch
net = torch.nn.Linear(3, 3)
correct = torch.zeros(())
for x, y in data:
    out = net(x)  #!
    loss = out.sum()
    loss.backward()
    correct += (out.argmax(1) == y).sum()
`,
  'what is handed in, and emptied again': `
import torch
net = torch.nn.Linear(3, 3)
def step(memory, x):
    out = net(x)  #!
    memory.append(out)
    if len(memory) > 9:
        memory.pop(0)
for x in data:
    step(store.memory, x)  #1
`,
  'a weak reference': `
import torch, weakref
net = torch.nn.Linear(3, 3)
seen = []
for x in data:
    out = net(x)  #!
    seen.append(weakref.ref(out))
`,
};

describe('Styles of writing', () => {
  for (const [name, { source, keeps }] of Object.entries(STYLES)) {
    it(`is found: ${name}`, () => {
      assert.equal(keptAt(program(source)), keeps);
    });
  }
  for (const [name, source] of Object.entries(INNOCENT)) {
    it(`is silent: ${name}`, () => {
      assert.equal(keptAt(program(source)), '');
    });
  }

  it('finds the same with other line ends', () => {
    for (const [name, { source, keeps }] of Object.entries(STYLES)) {
      const { files, stack } = program(source);
      const text = files['train.py'].replaceAll('\n', '\r\n');
      assert.equal(keptAt({ files: { 'train.py': text }, stack }), keeps, name);
    }
  });

  it('follows imports between files', () => {
    const files = {
      'lab/train.py': 'from .model import Net\nfrom . import log\nnet = Net()\nfor x in data:\n    log.keep(net(x))\n',
      'lab/model.py':
        'from torch import nn\nclass Net(nn.Module):\n    def __init__(self):\n        self.a = nn.Linear(3, 3)\n    def forward(self, x):\n        return self.a(x)\n',
      'lab/log.py': 'ROWS = []\ndef keep(row):\n    ROWS.append(row)\n',
      'lab/__init__.py': '',
    };
    const stack = [
      { file: 'lab/model.py', line: 6, function: 'forward' },
      { file: 'lab/train.py', line: 5, function: '<module>' },
    ];
    const found = holderOf({ files, stack });
    assert.equal(found?.module.file, 'lab/log.py');
    assert.equal(found.holder, 'ROWS');
  });

  it('follows the object of a trainer through the library whose trainer it extends', () => {
    const { files, stack } = program(`
import torch
from transformers import Trainer
class Base(Trainer):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.drift = Mean()
    def compute_loss(self, model, inputs):
        outputs = model(**inputs)
        drift = torch.log_softmax(outputs.logits, -1).mean()  #!
        self.drift.update(drift)
        return outputs.loss
class Tuned(Base):
    pass
class Mean:
    def __init__(self):
        self.value = None
    def update(self, value):
        self.value = value if self.value is None else 0.9 * self.value + 0.1 * value
def main():
    trainer = Tuned(model=model)
    trainer.train()  #1
main()  #2
`);
    const library = { file: '/usr/lib/python3.11/site-packages/transformers/trainer.py', line: 90, function: 'train' };
    stack.splice(1, 0, library);
    const found = holderOf({ files, stack });
    assert.deepEqual([found?.holder, found?.through], ['self.value', 'graph']);
  });

  it('gives no information on a line that is no longer in its function', () => {
    const { files, stack } = program(STYLES['a default argument'].source);
    const moved = `${'\n'.repeat(40)}${files['train.py']}`;
    assert.equal(keptAt({ files: { 'train.py': moved }, stack }), '');
  });
});

describe('Hostile sources', () => {
  const hostile: Record<string, string> = {
    'open brackets': '('.repeat(50_000),
    'mixed brackets': 'for x in data:\n    out = net(x)\n' + '([{'.repeat(20_000),
    'deep blocks': Array.from({ length: 300 }, (_, i) => ' '.repeat(i) + 'if x:').join('\n'),
    'long sums': `a = 1${' + a'.repeat(50_000)}`,
    'long chains': `a${'.b'.repeat(50_000)}()`,
    'many calls': 'f('.repeat(20_000) + ')'.repeat(20_000),
    'an open string': `"""${'x'.repeat(100_000)}`,
    'zero bytes': '\0'.repeat(5000),
    'recursive functions': Array.from(
      { length: 200 },
      (_, i) =>
        `def f${i}(x):\n    return ${Array.from({ length: 20 }, (_, j) => `f${(i + j + 1) % 200}(x)`).join(' + ')}\n`,
    ).join(''),
    'nested loops':
      Array.from({ length: 40 }, (_, i) => `${' '.repeat(i)}for x${i} in data:\n`).join('') +
      ' '.repeat(40) +
      'a.append(net(x0))\n',
    'two names of one list':
      'import torch\nheld = []\nfor i in range(99):\n' +
      Array.from({ length: 6000 }, (_, i) => `    if a${i}: more = held\n    else: held = more\n`).join('') +
      '    held.append(torch.zeros(9))',
  };
  for (const [name, text] of Object.entries(hostile)) {
    it(`end in an answer: ${name}`, () => {
      const lines = text.split('\n');
      const files = { 'train.py': `${text}\nfor x in data:\n    f0(x)\n` };
      const stack = [{ file: 'train.py', line: lines.length, function: '<module>' }];
      assert.doesNotThrow(() => holderOf({ files, stack }));
    });
  }

  it('are given up after a number of tests, because each block of an `elif` chain knows all tests before it', () => {
    const chain = (branches: number): string =>
      `if a == 0:\n    pass\n${Array.from({ length: branches }, (_, i) => `elif a == ${i}:\n    pass\n`).join('')}`;
    const source = (branches: number): Program =>
      program(`${chain(branches)}held = []\nfor step in range(9):\n    held.append(net(step))  #!\n`);
    assert.equal(holderOf(source(100))?.holder, 'held');
    assert.equal(holderOf(source(700)), null);
  });

  it('are not read at all if they are too long, or take too many steps', () => {
    assert.equal(readModule('a.py', 'x = 1\n'.repeat(300_000)), null);
    assert.equal(readModule('a.py', `x = ${'1 + '.repeat(150_000)}1`), null);
    assert.notEqual(readModule('a.py', 'x = 1\n'.repeat(10_000)), null);
  });
});
