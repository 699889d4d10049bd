import assert from 'node:assert/strict';
import { fixText } from '../../../src/core/report/remedy/sourceRemedy.js';
import { edited, holderOf, program, retained } from './follow.js';

const HEAD = `from collections import deque
import torch

class Meter:
    def __init__(self):
        self.rows = []

    def add(self, loss):
        self.rows.append(loss)

    def reset(self):
        self.rows.clear()

def main(loader, model, optimizer):
    meter = Meter()
    kept = []
`;

/** Releases and bounds of what a training loop's body puts somewhere, as text. */
function shown(body: string, rest = '', tail = 'main(loader, model, optimizer)\n'): string[] {
  const text = `${HEAD}${body.replaceAll(/^/gm, '    ')}\n${rest}${tail.replace(/\)\n$/, ')  #1\n')}`;
  const { releases, bounds, isEndless } = retained(program(text));
  const lines = text.split('\n');
  return [
    ...releases.map(
      ({ line, kind, where, isConditional }) =>
        `${kind}, ${where}${isConditional ? ', perhaps' : ''}: ${lines[line - 1].trim()}`,
    ),
    ...bounds.map(({ line, kind, value }) => `${kind} ${value ?? '?'}: ${lines[line - 1].trim().replace('  #!', '')}`),
    ...(isEndless ? ['endless'] : []),
  ];
}

const STEP = (body: string): string =>
  `for x in loader:\n    loss = model(x).mean()  #!\n    loss.backward()\n    optimizer.step()\n    ${body}`;
const EPOCHS = (body: string, end: string): string =>
  `for epoch in range(9):\n${STEP(body).replaceAll(/^/gm, '    ')}\n    ${end}`;

describe('Releases and bounds of a holder', () => {
  const cases: [name: string, found: string[], expected: string[]][] = [
    ['one loop, and nothing that releases', shown(STEP('kept.append(loss)')), ['endless']],
    ['a method of an object, and nothing that calls its reset', shown(STEP('meter.add(loss)')), ['endless']],
    [
      'a list that the end of an epoch clears',
      shown(EPOCHS('kept.append(loss)', 'kept.clear()')),
      ['clear, enclosing: kept.clear()'],
    ],
    [
      'a meter that the end of an epoch resets',
      shown(EPOCHS('meter.add(loss)', 'meter.reset()')),
      ['clear, enclosing: self.rows.clear()'],
    ],
    [
      'a list that each epoch makes again',
      shown(`for epoch in range(9):\n    own = []\n${STEP('own.append(loss)').replaceAll(/^/gm, '    ')}`),
      ['replace, enclosing: own = []', 'remake, enclosing: for epoch in range(9):'],
    ],
    ['epochs, and nothing at their end', shown(EPOCHS('kept.append(loss)', 'pass')), []],
    [
      'a list that is cleared after training',
      shown(`${STEP('kept.append(loss)')}\nkept.clear()`),
      ['clear, after: kept.clear()'],
    ],
    [
      'what a test in the step clears',
      shown(STEP('kept.append(loss)\n    if loss.item() > 9:\n        kept.clear()')),
      ['clear, step, perhaps: kept.clear()'],
    ],
    [
      'the oldest, by a test of the length',
      shown(STEP('kept.append(loss)\n    if len(kept) > 50:\n        kept.pop(0)')),
      ['take, step, perhaps: kept.pop(0)', 'test 50: kept.pop(0)'],
    ],
    [
      'the oldest, in a loop that seldom runs',
      shown(STEP('kept.append(loss)\n    while sum(map(len, kept)) > 50:\n        kept.pop(0)')),
      ['take, step, perhaps: kept.pop(0)'],
    ],
    [
      'what a loop over some of the keys deletes',
      shown(`seen = {}\n${STEP('seen[loss] = loss\n    for key in expired(seen):\n        del seen[key]')}`),
      ['delete, step, perhaps: del seen[key]', 'keys ?: seen[loss] = loss'],
    ],
    [
      'a key that may not be there',
      shown(`seen = {}\n${STEP('seen[loss] = loss\n    seen.pop(old(x), None)')}`),
      ['take, step, perhaps: seen.pop(old(x), None)', 'keys ?: seen[loss] = loss'],
    ],
    ['a deque', shown(`last = deque(maxlen=7)\n${STEP('last.append(loss)')}`), ['length 7: last.append(loss)']],
    [
      'a loop that trains on afterwards',
      shown(`${STEP('kept.append(loss)')}\nfor x in loader:\n    model(x).mean().backward()\n    optimizer.step()`),
      [],
    ],
    [
      'a method that only a framework calls',
      shown(
        STEP('log.add(loss)'),
        '',
        'import pytorch_lightning as pl\n\nclass Log(pl.Callback):\n    def __init__(self):\n        self.seen = []\n\n    def add(self, loss):\n        self.seen.append(loss)\n\n    def on_epoch_end(self):\n        self.seen.clear()\n\nlog = Log()\nmain(loader, model, optimizer)\n',
      ),
      ['clear, library: self.seen.clear()'],
    ],
  ];
  for (const [name, found, expected] of cases) {
    it(`are found: ${name}`, () => {
      assert.deepEqual(found, expected);
    });
  }

  it('are not those of a list that each round makes again, if another holder outlives the rounds', () => {
    const rounds = (end: string): string => `import torch

class Client:
    def local_train(self, model):
        for x in self.batches:
            loss = model(x).mean()
            loss.backward()
            self.optimizer.step()
        delta = {name: p - self.before[name] for name, p in model.named_parameters()}  #!
        return delta

class History:
    rounds = []

    def remember(self, updates):
        self.rounds.append({i: update for i, update in enumerate(updates)})

def main(model, clients):
    history = History()
    for _ in range(60):
        chosen = clients[:4]
        updates = [client.local_train(model) for client in chosen]  #1
        ${end}
main(model, [Client() for _ in range(8)])  #2
`;
    const kept = program(rounds('history.remember(updates)'));
    assert.equal(holderOf(kept)?.holder, 'self.rounds');
    assert.deepEqual(retained(kept).releases, []);
    const passing = program(rounds('print(len(updates))'));
    assert.match(holderOf(passing)?.holder ?? '', /^\[client\.local_train/);
    assert.notDeepEqual(retained(passing).releases, [], 'each round makes it again');
  });

  it('are not known of an object of a library, whatever its method is called', () => {
    const text = `from library import Writer\n${HEAD}    writer = Writer()\n    ${STEP('writer.add(loss)').replaceAll('\n', '\n    ')}\n`;
    assert.equal(holderOf(program(`${text}main(loader, model, optimizer)  #1\n`)), null);
  });

  it('are one answer for two values that one statement holds', () => {
    const source = `${HEAD}${EPOCHS('kept.append((loss, x))', 'kept.clear()').replaceAll(/^/gm, '    ')}\n`;
    const end = 'main(loader, model, optimizer)  #1\n';
    const other = source
      .replace('  #!', '')
      .replace('loss = model(x).mean()', 'x = x.cuda()  #!\n            loss = model(x).mean()');
    const [first, second] = [source, other].map((text) =>
      retained(program(text + end)).releases.map(({ kind, where }) => `${kind}, ${where}`),
    );
    assert.deepEqual(first, ['clear, enclosing']);
    assert.deepEqual(second, first);
  });

  it('do not cut gradients: values of a backward pass are cleared, not detached', () => {
    const body = 'kept.append(model(x))  #!\n    loss = torch.stack(kept).sum()\n    loss.backward(retain_graph=True)';
    const source = (text: string): string =>
      `${HEAD}    for x in loader:\n        ${text.replaceAll('\n', '\n    ')}\nmain(loader, model, optimizer)  #1\n`;
    const needed = holderOf(program(source(body)));
    assert.equal(needed?.needsGraph, true);
    assert.match(fixText(needed, []), /^Clear kept after the backward pass/);
    assert.equal(edited(program(source(body))), null);
    const left = holderOf(program(source('kept.append(model(x))  #!\n    model(x).mean().backward()')));
    assert.equal(left?.needsGraph, false);
    assert.match(fixText(left, []), /\.detach\(\)/);
    // Put behind a sum, it would detach the last part alone.
    const fixOf = (stored: string): string => {
      const found = holderOf(program(source(`y = model(x)  #!\n    kept.append(${stored})\n    y.sum().backward()`)));
      assert.ok(found !== null, stored);
      return fixText(found, []);
    };
    assert.match(fixOf('y.square() + 1'), /^Store \(y\.square\(\) \+ 1\)\.detach\(\), or /);
    assert.match(fixOf(`y.square()${' + 1'.repeat(20)}`), /^Store only what is needed, without its graph: /);
  });

  it('are not advised for the cache of a method, which has each object as a key', () => {
    const cached = (text: string, call: string): string => {
      const head = 'import torch\nfrom functools import lru_cache\n';
      const found = holderOf(program(`${head}${text}while True:\n    ${call}  #1\n`));
      assert.ok(found !== null, text);
      return `${found.holder}: ${fixText(found, [])}`;
    };
    const fn = '@lru_cache(maxsize=None)\ndef mask(self):\n    return torch.ones(8)  #!\n';
    assert.match(cached(fn, 'mask(object())'), /^cache of mask\(\): Cap the cache/);
    const method = `class Batch:\n    ${fn.trim().replaceAll('\n', '\n    ')}\n`;
    assert.match(cached(method, 'Batch().mask()'), /^cache of Batch\.mask\(\): Use functools\.cached_property/);
  });

  it('are advised for the older items where only the last ones are read', () => {
    const fixOf = (read: string): string => {
      const source = `class Tap:\n    def __init__(self):\n        self.store = {}\n    def keep(self, name, out):\n        self.store[name].append(out)\n    def latest(self, n):\n        ${read}\n`;
      const train = `${HEAD}tap = Tap()\nfor x, y in loader:\n    out = net(x)  #!\n    tap.keep('a', out)\n    print(tap.latest(2))\n    optimizer.step()\n`;
      const found = holderOf(program(source + train));
      assert.ok(found !== null, read);
      return fixText(found, [found.module]);
    };
    assert.match(fixOf('return list(self.store.items())[-n:]'), /^Store only what is needed/);
    assert.equal(
      fixOf("return self.store['a'][-n:]"),
      'Drop the older items with del Tap.store[name][:-n]: train.py:7 reads only the last ones.',
    );
  });

  it('are not advised for a default argument, which Python makes once', () => {
    const found = holderOf(
      program(
        `${HEAD}class Score:\n    def __init__(self, rows=[]):\n        self.rows = rows\n    def update(self, row):\n        self.rows.append(row)\nfor epoch in range(9):\n    score = Score()\n    for x, y in loader:\n        out = net(x)  #!\n        score.update(out)\n        optimizer.step()\n`,
      ),
    );
    assert.ok(found !== null);
    assert.match(fixText(found, []), /^Use None as the default of rows, /);
  });

  it('are not advised for a container that is read after all loops, where only copies on the CPU help', () => {
    const fixOf = (end: string): string => {
      const source = `${HEAD}    for epoch in range(3):\n        for x in loader:\n            x = x.cuda()  #!\n            kept.append(x)\n${end}`;
      const found = holderOf(program(`${source}\nmain(loader, model, optimizer)  #1\n`));
      assert.ok(found !== null, end);
      return fixText(found, []);
    };
    const copies = /^Store CPU copies in kept \(\.detach\(\)\.cpu\(\)\): line \d+ reads it after the loop\.$/;
    assert.match(fixOf('    return torch.cat(kept)'), copies);
    assert.match(fixOf('    for row in kept:\n        print(row)'), copies);
    const later = program(
      `${HEAD}    pass\n\ndef sample(n, rows=[]):\n    for _ in range(n):\n        rows.append(torch.randn(8, device='cuda'))  #!\n    return torch.stack(rows)\n\nwhile True:\n    sample(4)  #1\n`,
    );
    const shared = holderOf(later);
    assert.ok(shared !== null);
    assert.doesNotMatch(fixText(shared, []), copies, 'the next call adds to what this one reads');
    for (const end of ['    print(len(kept))', '    del kept', '            print(kept[-1])'])
      assert.match(fixOf(end), /^Clear kept after use/, end);
  });

  it('find the statement that reads a result: after the loop, or in a method that is called only there', () => {
    const readOf = (text: string): string | null => {
      const { read } = retained(program(text));
      return read === null ? null : text.split('\n')[read.line - 1].trim();
    };
    const local = (end: string): string =>
      `import torch\n\ndef embed(net, data):\n    kept = {'all': []}\n    for x in data:\n        row = x.cuda()  #!\n        kept['all'].append(row)\n${end}\nembed(net, data)  #1\n`;
    assert.equal(readOf(local("    return torch.cat(kept['all'])")), "return torch.cat(kept['all'])");
    assert.equal(readOf(local("    print(len(kept['all']))")), null);
    const method = (body: string, calls: string): string =>
      `import torch\n\nclass Scores:\n    def __init__(self):\n        self.rows = []\n\n    def add(self, x):\n        row = x.cuda()  #!\n        self.rows.append(row)\n\n    def recall(self):\n        ${body}\n\nscores = Scores()\nfor x in data:\n    scores.add(x)  #1\n${calls}\n`;
    const reads = 'return torch.cat(self.rows).mean()';
    assert.equal(readOf(method(reads, 'print(scores.recall())')), reads);
    assert.equal(readOf(method(reads, '    print(scores.recall())')), null, 'in the loop');
    assert.equal(
      readOf(method('for row in self.rows: row.close()\n        self.rows.clear()', 'scores.recall()')),
      null,
    );
  });
});
