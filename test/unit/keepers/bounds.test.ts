import assert from 'node:assert/strict';
import { followed, keptAt, program, type Program } from './follow.js';

interface Bounded {
  name: string;
  source: string;
  /** Items at most, as the limit says it; `loop` where a loop around the steps lets go of them; empty for no growth. */
  most: string;
  /** Where the value is known. */
  count?: number;
  /** Who keeps it until a loop lets go of it, if that is not the statement that keeps the twin. */
  during?: string;
}

const loop = (rest: string, before = ''): string => `
import collections, heapq, queue, random, weakref
import torch
net = torch.nn.Linear(3, 3)
${before}
for i, x in enumerate(data):
    out = net(x).detach()  #!
    ${rest}
`;

/** What fills up, and its twin in which the same growth never ends. */
const PAIRS: { bounded: Bounded; endless: { source: string; keeps: string } }[] = [
  {
    bounded: {
      name: 'an early return before the append',
      source: loop(
        'remember(out)',
        'kept = []\ndef remember(out):\n    if len(kept) > 100:\n        return\n    kept.append(out)',
      ),
      most: '101',
      count: 101,
    },
    endless: {
      source: loop(
        'remember(out)',
        'kept = []\ndef remember(out):\n    if len(other) > 100:\n        return\n    kept.append(out)',
      ),
      keeps: 'kept.append(out)',
    },
  },
  {
    bounded: {
      name: 'a step that goes on once there is enough',
      source: loop('if len(kept) >= 64:\n        continue\n    kept.append(out)', 'kept = []'),
      most: '64',
      count: 64,
    },
    endless: {
      source: loop('if len(kept) >= 64:\n        print("many")\n    kept.append(out)', 'kept = []'),
      keeps: 'kept.append(out)',
    },
  },
  {
    bounded: {
      name: 'a test with an else',
      source: loop(
        'if len(kept) < LIMIT:\n        kept.append(out)\n    else:\n        print(i)',
        'LIMIT = 50\nkept = []',
      ),
      most: 'LIMIT',
      count: 50,
    },
    endless: {
      source: loop(
        'if len(kept) < LIMIT:\n        print(i)\n    else:\n        kept.append(out)',
        'LIMIT = 50\nkept = []',
      ),
      keeps: 'kept.append(out)',
    },
  },
  {
    bounded: {
      name: 'a queue of a size',
      source: loop('q.put(out)', 'q = queue.Queue(maxsize=8)'),
      most: '8',
      count: 8,
    },
    endless: { source: loop('q.put(out)', 'q = queue.Queue(maxsize=0)'), keeps: 'q.put(out)' },
  },
  {
    bounded: {
      name: 'an asynchronous queue of a size',
      source: `
import asyncio, torch
net = torch.nn.Linear(3, 3)
async def main():
    q = asyncio.Queue(16)
    async for x in stream():
        out = net(x).detach()  #!
        await q.put(out)
asyncio.run(main())  #1
`,
      most: '16',
      count: 16,
    },
    endless: {
      source: `
import asyncio, torch
net = torch.nn.Linear(3, 3)
async def main():
    q = asyncio.Queue()
    async for x in stream():
        out = net(x).detach()  #!
        await q.put(out)
asyncio.run(main())  #1
`,
      keeps: 'await q.put(out)',
    },
  },
  {
    bounded: {
      name: 'a queue that is read again',
      source: loop('q.put(out)\n    use(q.get())', 'q = queue.Queue()'),
      most: '',
    },
    endless: { source: loop('q.put(out)\n    use(q.qsize())', 'q = queue.Queue()'), keeps: 'q.put(out)' },
  },
  {
    bounded: {
      name: 'a deque whose length a constructor was given by keyword',
      source: loop(
        'replay.push(out)',
        'class Replay:\n    def __init__(self, capacity=10):\n        self.items = collections.deque(maxlen=capacity)\n    def push(self, item):\n        self.items.append(item)\nreplay = Replay(capacity=5_000)',
      ),
      most: 'capacity',
      count: 5000,
    },
    endless: {
      source: loop(
        'replay.push(out)',
        'class Replay:\n    def __init__(self, capacity=None):\n        self.items = collections.deque(maxlen=capacity)\n    def push(self, item):\n        self.items.append(item)\nreplay = Replay()',
      ),
      keeps: 'self.items.append(item)',
    },
  },
  {
    bounded: {
      name: 'a deque whose length is a name',
      source: loop('kept.append(out)', 'SIZE = 10 * 1000\nkept = collections.deque([], SIZE)'),
      most: 'SIZE',
      count: 10000,
    },
    endless: {
      source: loop('kept.append(out)', 'SIZE = None\nkept = collections.deque([], SIZE)'),
      keeps: 'kept.append(out)',
    },
  },
  {
    bounded: {
      name: 'a list of an epoch that a callee fills',
      source: `
import torch
net = torch.nn.Linear(3, 3)
def step(x, outputs):
    out = net(x).detach()  #!
    outputs.append(out)
def train():
    for epoch in range(9):
        outputs = []
        for x in data:
            step(x, outputs)  #1
            optimizer.step()
        print(len(outputs))
train()  #2
`,
      most: 'loop',
    },
    endless: {
      source: `
import torch
net = torch.nn.Linear(3, 3)
def step(x, outputs):
    out = net(x).detach()  #!
    outputs.append(out)
def train():
    outputs = []
    for epoch in range(9):
        for x in data:
            step(x, outputs)  #1
            optimizer.step()
        print(len(outputs))
train()  #2
`,
      keeps: 'outputs.append(out)',
    },
  },
  {
    bounded: {
      name: 'a list of an epoch that a method fills and returns',
      source: `
import torch
class Trainer:
    def __init__(self, net):
        self.net = net
    def epoch(self):
        losses = []
        for x in self.loader:
            losses.append(self.step(x))  #1
            self.optimizer.step()
        return sum(losses) / len(losses)
    def step(self, x):
        return self.net(x).mean().detach()  #!
    def fit(self):
        for n in range(10):
            print(self.epoch())  #2
Trainer(torch.nn.Linear(3, 3)).fit()  #3
`,
      most: 'loop',
    },
    endless: {
      source: `
import torch
class Trainer:
    losses = []
    def __init__(self, net):
        self.net = net
    def epoch(self):
        for x in self.loader:
            self.losses.append(self.step(x))  #1
            self.optimizer.step()
        return sum(self.losses) / len(self.losses)
    def step(self, x):
        return self.net(x).mean().detach()  #!
    def fit(self):
        for n in range(10):
            print(self.epoch())  #2
Trainer(torch.nn.Linear(3, 3)).fit()  #3
`,
      keeps: 'self.losses.append(self.step(x))',
    },
  },
  {
    bounded: {
      name: 'all but the last items deleted',
      source: loop('kept.append(out)\n    del kept[:-30]', 'kept = []'),
      most: '30',
      count: 30,
    },
    endless: {
      source: loop('kept.append(out)\n    del other[:-30]', 'kept = []\nother = []'),
      keeps: 'kept.append(out)',
    },
  },
  {
    bounded: {
      name: 'a window cut by assignment',
      source: loop('kept.append(out)\n    kept = kept[-WINDOW:]', 'WINDOW = 20\nkept = []'),
      most: 'WINDOW',
      count: 20,
    },
    endless: {
      source: loop('kept.append(out)\n    last = kept[-WINDOW:]', 'WINDOW = 20\nkept = []'),
      keeps: 'kept.append(out)',
    },
  },
  {
    bounded: {
      name: 'a ring',
      source: loop('ring[i % SIZE] = out', 'SIZE = 128\nring = [None] * SIZE'),
      most: 'SIZE',
      count: 128,
    },
    endless: { source: loop('ring[i // SIZE] = out', 'SIZE = 128\nring = {}'), keeps: 'ring[i // SIZE] = out' },
  },
  {
    bounded: {
      name: 'a ring whose place is kept',
      source: loop(
        'replay.push(out)',
        'class Replay:\n    def __init__(self, capacity):\n        self.capacity = capacity\n        self.items = []\n        self.place = 0\n    def push(self, item):\n        if len(self.items) < self.capacity:\n            self.items.append(None)\n        self.items[self.place] = item\n        self.place = (self.place + 1) % self.capacity\nreplay = Replay(512)',
      ),
      most: 'self.capacity',
      count: 512,
    },
    endless: {
      source: loop(
        'replay.push(out)',
        'class Replay:\n    def __init__(self, capacity):\n        self.capacity = capacity\n        self.items = {}\n        self.place = 0\n    def push(self, item):\n        self.items[self.place] = item\n        self.place = self.place + 1\nreplay = Replay(512)',
      ),
      keeps: 'self.items[self.place] = item',
    },
  },
  {
    bounded: {
      name: 'a random place',
      source: loop('kept[random.randrange(200)] = out', 'kept = {}'),
      most: '200',
      count: 200,
    },
    endless: { source: loop('kept[random.random()] = out', 'kept = {}'), keeps: 'kept[random.random()] = out' },
  },
  {
    bounded: {
      name: 'the best few on a heap',
      source: loop(
        'if len(best) < 5:\n        heapq.heappush(best, (x.mean().item(), i, out))\n    else:\n        heapq.heappushpop(best, (x.mean().item(), i, out))',
        'best = []',
      ),
      most: '5',
      count: 5,
    },
    endless: {
      source: loop('heapq.heappush(best, (x.mean().item(), i, out))', 'best = []'),
      keeps: 'heapq.heappush(best, (x.mean().item(), i, out))',
    },
  },
  {
    bounded: {
      name: 'a cache that is emptied once it is full',
      source: loop('if len(cache) >= MAX:\n        cache.clear()\n    cache[i] = out', 'MAX = 300\ncache = {}'),
      most: 'MAX',
      count: 300,
    },
    endless: {
      source: loop('if len(cache) >= MAX:\n        print(len(cache))\n    cache[i] = out', 'MAX = 300\ncache = {}'),
      keeps: 'cache[i] = out',
    },
  },
  {
    bounded: {
      name: 'least recently used first out',
      source: loop(
        'lru.put(i, out)',
        'class Lru:\n    def __init__(self, size):\n        self.size = size\n        self.entries = collections.OrderedDict()\n    def put(self, key, value):\n        self.entries[key] = value\n        self.entries.move_to_end(key)\n        while len(self.entries) > self.size:\n            self.entries.popitem(last=False)\nlru = Lru(40)',
      ),
      most: 'self.size',
      count: 40,
    },
    endless: {
      source: loop(
        'lru.put(i, out)',
        'class Lru:\n    def __init__(self, size):\n        self.size = size\n        self.entries = collections.OrderedDict()\n    def put(self, key, value):\n        self.entries[key] = value\n        self.entries.move_to_end(key)\nlru = Lru(40)',
      ),
      keeps: 'self.entries[key] = value',
    },
  },
  {
    bounded: { name: 'weak keys', source: loop('seen[net] = out', 'seen = weakref.WeakKeyDictionary()'), most: '' },
    endless: { source: loop('seen[i] = out', 'seen = {}'), keeps: 'seen[i] = out' },
  },
  {
    bounded: { name: 'weak values', source: loop('seen[i] = out', 'seen = weakref.WeakValueDictionary()'), most: '' },
    endless: { source: loop('seen.setdefault(i, out)', 'seen = {}'), keeps: 'seen.setdefault(i, out)' },
  },
  {
    bounded: {
      name: 'a place for each layer',
      source: loop('for name, layer in net.named_children():\n        seen[name] = layer(out)', 'seen = {}').replace(
        'out = net(x).detach()  #!',
        'out = net(x)  #!',
      ),
      most: '',
    },
    endless: {
      source: loop('for name, layer in net.named_children():\n        seen[name, i] = layer(out)', 'seen = {}').replace(
        'out = net(x).detach()  #!',
        'out = net(x)  #!',
      ),
      keeps: 'seen[name, i] = layer(out)',
    },
  },
  {
    bounded: {
      name: 'a place for each name that a hook closes over',
      source: `
import torch
net = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.ReLU())
features = {}
def save(name):
    def hook(module, inputs, output):
        features[name] = output
    return hook
for name, layer in net.named_modules():
    layer.register_forward_hook(save(name))
for x in data:
    out = net(x)  #!
`,
      most: '',
    },
    endless: {
      source: `
import torch
net = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.ReLU())
features = {}
def save(name):
    def hook(module, inputs, output):
        features.setdefault(name, []).append(output)
    return hook
for name, layer in net.named_modules():
    layer.register_forward_hook(save(name))
for x in data:
    out = net(x)  #!
`,
      keeps: 'features.setdefault(name, []).append(output)',
    },
  },
  {
    bounded: {
      name: 'fixed keys that are updated',
      source: loop("state.update(last=out)\n    state.update({'before': out})", 'state = {}'),
      most: '',
    },
    endless: { source: loop('state.update({i: out})', 'state = {}'), keeps: 'state.update({i: out})' },
  },
];

/** A class that keeps what it is given, and its use in the loop. */
const kept = (body: string, fields = 'self.items = []'): string =>
  loop(
    'buffer.add(out)',
    `class Buffer:
    def __init__(self, cap, size=0):
        self.cap, self.size = cap, 0
        ${fields}
    def __len__(self):
        return len(self.items)
    def count(self):
        """How many there are."""
        return self.size
    @property
    def is_full(self):
        return len(self.items) >= self.cap
    def has_room(self):
        return self.cap > self.size
    def add(self, x):
${body.replace(/^/gm, '        ')}
buffer = Buffer(40)`,
  );

/** What counts its items instead of asking for their number. */
PAIRS.push(
  {
    bounded: {
      name: 'a counter that is compared with the capacity',
      source: kept('if self.size < self.cap:\n    self.size += 1\n    self.items.append(x)'),
      most: 'self.cap',
      count: 40,
    },
    endless: {
      source: kept('if self.size < self.cap:\n    self.items.append(x)'),
      keeps: 'self.items.append(x)',
    },
  },
  {
    bounded: {
      name: 'a counter that ends a method early, and counts before',
      source: kept('self.size = self.size + 1\nif self.size > self.cap:\n    return\nself.items.append(x)'),
      most: '41',
      count: 41,
    },
    endless: {
      source: kept('self.size = self.size - 1\nif self.size > self.cap:\n    return\nself.items.append(x)'),
      keeps: 'self.items.append(x)',
    },
  },
  {
    bounded: {
      name: 'a counter that a method compares',
      source: kept('if self.has_room():\n    self.items.append(x)\n    self.size += 1'),
      most: 'self.cap',
      count: 40,
    },
    endless: {
      source: kept('if self.has_room():\n    self.items.append(x)\n    self.size += 1\nself.size = 0'),
      keeps: 'self.items.append(x)',
    },
  },
  {
    bounded: {
      name: 'a property that says whether it is full',
      source: kept('if not self.is_full:\n    self.items.append(x)'),
      most: 'self.cap',
      count: 40,
    },
    endless: {
      source: kept('if not self.is_full:\n    print(x)\nself.items.append(x)'),
      keeps: 'self.items.append(x)',
    },
  },
  {
    bounded: {
      name: 'a length of its own',
      source: kept('if len(self) < self.cap:\n    self.items.append(x)'),
      most: 'self.cap',
      count: 40,
    },
    endless: {
      source: kept('if len(self) < self.cap:\n    print(x)\nself.items.append(x)'),
      keeps: 'self.items.append(x)',
    },
  },
  {
    bounded: {
      name: 'a length of its own that makes room first',
      source: kept('if len(self) == self.cap:\n    self.items.pop(0)\nself.items.append(x)'),
      most: 'self.cap',
      count: 40,
    },
    endless: {
      source: kept('if len(self) == self.cap:\n    print(self.items[0])\nself.items.append(x)'),
      keeps: 'self.items.append(x)',
    },
  },
  {
    bounded: {
      name: 'a counter of many at once, which is not the number of items',
      source: kept(
        'if self.size < self.cap:\n    self.size += 1\n    if len(self.items) < 9:\n        for part in x:\n            self.items.append(x)',
      ),
      most: '9',
      count: 9,
    },
    endless: {
      source: kept(
        'if self.size < self.cap:\n    for part in x:\n        self.items.append(x)\n        self.size += 1\n    self.size -= 1',
      ),
      keeps: 'self.items.append(x)',
    },
  },
  {
    bounded: {
      name: 'the first steps of all',
      source: loop('if i < 50:\n        kept.append(out)', 'kept = []'),
      most: '50',
      count: 50,
    },
    endless: {
      source: loop('if i < 50:\n        print(i)\n    kept.append(out)', 'kept = []'),
      keeps: 'kept.append(out)',
    },
  },
  {
    bounded: {
      name: 'a variable that counts beside the loop',
      source: loop('if seen < 50:\n        seen += 1\n        kept.append(out)', 'kept = []\nseen = 0'),
      most: '50',
      count: 50,
    },
    endless: {
      source: loop('seen = 0\n    if seen < 50:\n        seen += 1\n        kept.append(out)', 'kept = []'),
      keeps: 'kept.append(out)',
    },
  },
  {
    bounded: {
      name: 'a step that is counted through all epochs',
      source: `
import torch
net = torch.nn.Linear(3, 3)
kept, step = [], 0
for epoch in range(9):
    for x in data:
        out = net(x).detach()  #!
        step += 1
        if step <= 50:
            kept.append(out)
`,
      most: '51',
      count: 51,
    },
    endless: {
      source: `
import torch
net = torch.nn.Linear(3, 3)
kept = []
for epoch in range(9):
    for step, x in enumerate(data):
        out = net(x).detach()  #!
        if step <= 50:
            kept.append(out)
`,
      keeps: 'kept.append(out)',
    },
  },
);

const decoder = (reset: string, steps = ''): string => `
import torch, leakline_recorder
class Attention(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.keys, self.queries = [], []
    def reset(self):
        ${reset}
    def forward(self, x):
        self.keys.append(x.clone())  #!
        return torch.stack(self.keys).sum(0)
layer = Attention()
for prompt in prompts:
    layer.reset()
    for token in prompt:
        token = layer(token)  #1
        ${steps}
`;

const truncated = (backward: string): string => `
import torch
cell = torch.nn.GRUCell(4, 4)
optimizer = torch.optim.SGD(cell.parameters(), lr=0.1)
WINDOW = 40
h, loss = torch.zeros(1, 4), 0
for t, x in enumerate(data):
    h = cell(x, h)  #!
    loss = loss + h.sum()
    if (t + 1) % WINDOW == 0:
        ${backward}
        optimizer.step()
        h, loss = h.detach(), 0
`;

/** What ends with a sequence. */
PAIRS.push(
  {
    bounded: {
      name: 'keys of one sequence, in a program that never trains',
      source: decoder('self.keys, self.queries = [], []'),
      most: 'loop',
      during: '',
    },
    endless: { source: decoder('self.queries = []'), keeps: 'self.keys.append(x.clone())' },
  },
  {
    bounded: {
      name: 'keys of one sequence, where each token is marked as a step',
      source: decoder('self.keys = []', 'leakline_recorder.mark_step()'),
      most: 'loop',
      during: '',
    },
    endless: {
      source: decoder('print(self.keys)', 'leakline_recorder.mark_step()'),
      keeps: 'self.keys.append(x.clone())',
    },
  },
  {
    bounded: {
      name: 'a graph that a backward frees every so many steps',
      source: truncated('loss.backward()'),
      most: '40',
      count: 40,
    },
    endless: {
      source: truncated('loss.backward(retain_graph=True)').replace('h, loss = h.detach(), 0', 'loss = 0'),
      keeps: 'h = cell(x, h)',
    },
  },
);

/** What has as many places as it was made with, and what is let go of along with what it is in. */
PAIRS.push(
  {
    bounded: {
      name: 'places of a list that was made with all of them',
      source: kept(
        'self.items[self.size] = x\nself.size += 1\nif self.size == self.cap:\n    self.size = 0',
        'self.items = [None] * cap',
      ),
      most: 'len(self.items)',
    },
    endless: {
      source: kept('self.items.append(None)\nself.items[self.size] = x\nself.size += 1', 'self.items = [None] * cap'),
      keeps: 'self.items[self.size] = x',
    },
  },
  {
    bounded: {
      name: 'keys that are no further than a number',
      source: kept('self.tables[min(x, self.cap)] = x', 'self.tables = {}'),
      most: '41',
      count: 41,
    },
    endless: {
      source: kept('self.tables[max(x, self.cap)] = x', 'self.tables = {}'),
      keeps: 'self.tables[max(x, self.cap)] = x',
    },
  },
  {
    bounded: {
      name: 'a list in a dictionary that is cleared',
      source: kept(
        "self.named['x'].append(x)\nif self.is_full:\n    self.named.clear()",
        'self.named = collections.defaultdict(list)',
      ),
      most: 'loop',
      during: '',
    },
    endless: {
      source: kept(
        "self.named['x'].append(x)\nif self.is_full:\n    self.items.clear()",
        'self.items, self.named = [], collections.defaultdict(list)',
      ),
      keeps: "self.named['x'].append(x)",
    },
  },
  {
    bounded: {
      name: 'copies of which the first makes room',
      source: `
import copy, torch
net = torch.nn.Linear(3, 3)
copies = []
for x in data:
    if len(copies) == 5:
        del copies[0]
    copies.append(copy.deepcopy(net))  #!
`,
      most: '5',
      count: 5,
    },
    endless: {
      source: `
import copy, torch
net = torch.nn.Linear(3, 3)
copies = []
for x in data:
    best = copy.deepcopy(net)
    copies.append(copy.deepcopy(net))  #!
`,
      keeps: 'copies.append(copy.deepcopy(net))',
    },
  },
);

describe('What fills up', () => {
  for (const { bounded, endless } of PAIRS) {
    // What is let go of at the end of each epoch is kept until then.
    const until = bounded.during ?? endless.keeps.replace('self.losses', 'losses');
    const keeps = bounded.most === 'loop' ? until : '';
    it(`names ${keeps === '' ? 'nobody' : 'who keeps it until then'}: ${bounded.name}`, () => {
      assert.equal(keptAt(program(bounded.source)), keeps);
    });
    it(`has its bound: ${bounded.name}`, () => {
      const limit = followed(program(bounded.source))?.limit ?? null;
      const most = limit === null ? '' : (limit.most?.text ?? 'loop');
      assert.deepEqual([most, limit?.most?.count ?? undefined], [bounded.most, bounded.count]);
    });
    it(`is told from what never ends: ${bounded.name}`, () => {
      assert.equal(keptAt(program(endless.source)), endless.keeps);
      assert.equal(followed(program(endless.source))?.limit ?? null, null);
    });
  }
});

describe('What a lambda makes', () => {
  const text = (bound: string): string => `import torch
class Cache:
    def __init__(self, most=40):
        self.most, self.entries = most, {}
    def get(self, key, make):
        value = make()
        self.entries[key] = value
        ${bound}
        return value
cache = Cache()
for step in range(steps):
    x = cache.get(step, lambda: torch.randn(3, 3))
`;
  const stack = [
    { file: 'train.py', line: 12, function: '<lambda>' },
    { file: 'train.py', line: 6, function: 'get' },
    { file: 'train.py', line: 12, function: '<module>' },
  ];
  const of = (bound: string): Program => ({ files: { 'train.py': text(bound) }, stack });

  it('is followed to what keeps it', () => {
    assert.equal(keptAt(of('print(key)')), 'self.entries[key] = value');
  });

  it('is followed to its bound', () => {
    const limit = followed(of('if len(self.entries) > self.most: self.entries.popitem()'))?.limit;
    assert.deepEqual([limit?.holder, limit?.most?.count], ['self.entries', 40]);
  });

  it('is left alone where a line has two of them', () => {
    const two = text('print(key)').replace('3))', '3), lambda: 3)');
    assert.equal(keptAt({ files: { 'train.py': two }, stack }), '');
  });
});

describe('What a comprehension makes', () => {
  const text = (tail: string): string => `import torch
kept = []
for step in range(steps):
    outputs = [
        torch.randn(3, 3)
        for _ in range(4)
    ]
    ${tail}
`;
  // Before Python 3.12 a comprehension has a frame of its own.
  const stack = [
    { file: 'train.py', line: 5, function: '<listcomp>' },
    { file: 'train.py', line: 4, function: '<module>' },
  ];

  it('is followed to what keeps it, over lines', () => {
    assert.equal(keptAt({ files: { 'train.py': text('kept.extend(outputs)') }, stack }), 'kept.extend(outputs)');
    assert.equal(keptAt({ files: { 'train.py': text('print(outputs)') }, stack }), '');
  });
});
