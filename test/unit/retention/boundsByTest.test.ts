/** Containers under a test of a length or of a count. */
import { boundsAreTold, loop } from './bounds.js';

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

boundsAreTold('A container that a test bounds', [
  {
    bounded: {
      name: 'an early return before the append',
      source: loop(
        'remember(out)',
        'kept = []\ndef remember(out):\n    if len(kept) > 100:\n        return\n    kept.append(out)',
      ),
      max: '101',
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
      max: '64',
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
      max: 'LIMIT',
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
      name: 'all but the last items deleted',
      source: loop('kept.append(out)\n    del kept[:-30]', 'kept = []'),
      max: '30',
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
      max: 'WINDOW',
      count: 20,
    },
    endless: {
      source: loop('kept.append(out)\n    last = kept[-WINDOW:]', 'WINDOW = 20\nkept = []'),
      keeps: 'kept.append(out)',
    },
  },
  {
    bounded: {
      name: 'a cache that is emptied once it is full',
      source: loop('if len(cache) >= MAX:\n        cache.clear()\n    cache[i] = out', 'MAX = 300\ncache = {}'),
      max: 'MAX',
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
      max: 'self.size',
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
    bounded: {
      name: 'a counter that is compared with the capacity',
      source: kept('if self.size < self.cap:\n    self.size += 1\n    self.items.append(x)'),
      max: 'self.cap',
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
      max: '41',
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
      max: 'self.cap',
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
      max: 'self.cap',
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
      max: 'self.cap',
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
      max: 'self.cap',
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
      max: '9',
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
      name: 'places of a list that was made with all of them',
      source: kept(
        'self.items[self.size] = x\nself.size += 1\nif self.size == self.cap:\n    self.size = 0',
        'self.items = [None] * cap',
      ),
      max: 'len(self.items)',
    },
    endless: {
      source: kept('self.items.append(None)\nself.items[self.size] = x\nself.size += 1', 'self.items = [None] * cap'),
      keeps: 'self.items[self.size] = x',
    },
  },
  {
    bounded: {
      name: 'a list in a dictionary that is cleared',
      source: kept(
        "self.named['x'].append(x)\nif self.is_full:\n    self.named.clear()",
        'self.named = collections.defaultdict(list)',
      ),
      // It ends the growth, at an unknown length.
      max: '',
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
      max: '5',
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
]);
