/** Containers with a limited number of places. */
import assert from 'node:assert/strict';
import { boundsAreTold, loop } from './bounds.js';
import { followed, program } from './follow.js';

boundsAreTold('A container of fixed size or of weak references', [
  {
    bounded: {
      name: 'a queue of a size',
      source: loop('q.put(out)', 'q = queue.Queue(maxsize=8)'),
      max: '8',
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
      max: '16',
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
      max: '',
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
      max: 'capacity',
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
      max: 'SIZE',
      count: 10000,
    },
    endless: {
      source: loop('kept.append(out)', 'SIZE = None\nkept = collections.deque([], SIZE)'),
      keeps: 'kept.append(out)',
    },
  },
  {
    bounded: {
      name: 'a ring',
      source: loop('ring[i % SIZE] = out', 'SIZE = 128\nring = [None] * SIZE'),
      max: 'SIZE',
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
      max: 'self.capacity',
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
      max: '200',
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
      max: '5',
      count: 5,
    },
    endless: {
      source: loop('heapq.heappush(best, (x.mean().item(), i, out))', 'best = []'),
      keeps: 'heapq.heappush(best, (x.mean().item(), i, out))',
    },
  },
  {
    bounded: { name: 'weak keys', source: loop('seen[net] = out', 'seen = weakref.WeakKeyDictionary()'), max: '' },
    endless: { source: loop('seen[i] = out', 'seen = {}'), keeps: 'seen[i] = out' },
  },
  {
    bounded: { name: 'weak values', source: loop('seen[i] = out', 'seen = weakref.WeakValueDictionary()'), max: '' },
    endless: { source: loop('seen.setdefault(i, out)', 'seen = {}'), keeps: 'seen.setdefault(i, out)' },
  },
  {
    bounded: {
      name: 'a place for each layer',
      source: loop('for name, layer in net.named_children():\n        seen[name] = layer(out)', 'seen = {}').replace(
        'out = net(x).detach()  #!',
        'out = net(x)  #!',
      ),
      max: '',
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
      max: '',
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
      max: '',
    },
    endless: { source: loop('state.update({i: out})', 'state = {}'), keeps: 'state.update({i: out})' },
  },
]);

describe('Keys', () => {
  const cases: [name: string, put: string, isNew: boolean][] = [
    ['the number of the step', 'seen[i] = out', true],
    ['a text with the number of the step', "seen[f'{name}/{i}'] = out", true],
    ['a pair with the number of the step', 'seen[name, i] = out', true],
    ['a tensor of the step', 'mask = torch.ones(3)\n    seen[mask] = out', true],
    ['a parameter of the step', 'weight = torch.nn.Parameter(out)\n    seen[weight] = out', true],
    ['the id of a tensor that is kept', 'seen[id(out)] = (out, 1)', true],
    ['the id of a tensor that is not kept', 'seen[id(torch.zeros(3))] = out', false],
    [
      'the id of a tensor that is kept, in a pair that has a name',
      'key = (id(out), 3)\n    seen[key] = (out, 1)',
      true,
    ],
    ['the next number of a counter', 'seen[next(tickets)] = out', true],
    ['the next number of a counter that each step makes', 'seen[next(itertools.count())] = out', false],
    ['a random identifier', 'seen[str(uuid.uuid4())] = out', true],
    ['the length of what only grows', 'seen[len(seen)] = out', true],
    ['the length of something else', 'seen[len(other)] = out', false],
    ['a length that shrinks', 'seen[len(seen)] = out\n    if x: seen.popitem()', false],
    ['an item of the data', 'seen[x] = out', false],
    ['a text without the number', "seen[f'{name}'] = out", false],
  ];
  const setup = 'import itertools, uuid\nseen = {}\ntickets = itertools.count()';
  for (const [name, put, isNew] of cases) {
    it(`${isNew ? 'are new in each step' : 'may repeat'}: ${name}`, () => {
      assert.equal(followed(program(loop(put, setup)))?.hasNewKeys, isNew);
    });
  }
});
