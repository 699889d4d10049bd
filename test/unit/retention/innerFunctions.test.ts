/** Frames of lambdas and comprehensions, which have no name to be looked up by. */
import assert from 'node:assert/strict';
import { followed, keptAt, program, type Program } from './follow.js';

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

  it('is followed to its holder', () => {
    assert.equal(keptAt(of('print(key)')), 'self.entries[key] = value');
  });

  it('is followed to its bound', () => {
    const limit = followed(of('if len(self.entries) > self.most: self.entries.popitem()'))?.limit;
    assert.deepEqual([limit?.holder, limit?.max?.count], ['self.entries', 40]);
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

  it('is followed to its holder, over lines', () => {
    assert.equal(keptAt({ files: { 'train.py': text('kept.extend(outputs)') }, stack }), 'kept.extend(outputs)');
    assert.equal(keptAt({ files: { 'train.py': text('print(outputs)') }, stack }), '');
  });
});

describe('A list in a dictionary', () => {
  const text = (made: string): string => `import torch
class Collector:
    def __init__(self):
        self.inputs = {}
    def hook(self, name):
        ${made}
        def save(module, args, output):
            store.append(args[0])
        return save
collector = Collector()
net = torch.nn.Linear(3, 3)
net.register_forward_hook(collector.hook('net'))
for step in range(steps):
    net(torch.randn(3, 3))  #!
`;
  for (const [how, made] of [
    ['setdefault', 'store = self.inputs.setdefault(name, [])'],
    ['an assignment', 'self.inputs[name] = []\n        store = self.inputs[name]'],
  ])
    it(`is held by the dictionary, whatever its local name: ${how}`, () => {
      const { finding } = followed(program(text(made))) ?? {};
      assert.deepEqual([finding?.holder, finding?.kind], ['self.inputs', 'put']);
      assert.equal(keptAt(program(text(made))), 'store.append(args[0])');
    });

  it('has its own name where it is in none, or has a name before', () => {
    const handed = text('store = []\n        self.store = store');
    assert.equal(followed(program(handed))?.finding?.holder, 'store');
    assert.equal(followed(program(text('store = []')))?.finding?.holder, 'store');
  });
});
