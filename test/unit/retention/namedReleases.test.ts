import assert from 'node:assert/strict';
import { namedReleasesOf } from '../../../src/core/retention/names/namedReleases.js';
import { nameOfHolder, outerName } from '../../../src/core/retention/names/names.js';
import { ParsedFiles, Sources } from '../../../src/core/retention/sources.js';
import { lineAt } from '../../../src/core/python/pythonModule.js';

/** Files; the statement that keeps ends in `#!`. */
type Files = Record<string, string>;

/** The statements that may end the growth of a name: their kind and the text of their line. */
function releaseIn(files: Files, holder: string): string {
  const port = { text: (file: string): string | null => files[file] ?? null };
  const sources = new Sources(Object.keys(files), port, new ParsedFiles());
  const file = Object.keys(files).find((name) => files[name].includes('#!')) ?? '';
  const line = files[file].split('\n').findIndex((text) => text.endsWith('#!')) + 1;
  const kept = nameOfHolder(holder);
  assert.ok(kept !== null, holder);
  const found = [...namedReleasesOf(kept, sources.module(file), line, sources.reachableFrom(['train.py']))].at(0);
  if (found === undefined) return 'none';
  if ('bound' in found && /^(?:keys|running|flag)$/.test(found.bound)) return found.bound;
  const { module, span } = found.place;
  return `${'release' in found ? 'release' : found.bound}: ${module.text.split('\n')[lineAt(module, span.from) - 1].trim()}`;
}

const METER = (rest: string, put = 'self.rows.append(row)', before = ''): Files => ({
  'train.py': `from meter import Meter\nmeter = Meter()\nfor x in data:\n    meter.update(net(x))\n    meter.end()\n`,
  'meter.py': `class Meter:\n    def __init__(self):\n        self.rows = ${before === '' ? '[]' : before}\n    def update(self, row):\n        ${put}  #!\n${rest}`,
});

const HANDED = (given: string): Files => ({
  'train.py': `from fit import Trainer\nclass Task:\n    def __init__(self):\n        self.rows = []\n    def step(self, row):\n        self.rows.append(row)  #!\n    def wipe(self):\n        self.rows.clear()\ndef make():\n    return Task()\ntask = make()\n${given}\n`,
});

describe('What may end the growth of a container', () => {
  const cases: [name: string, files: Files, expected: string][] = [
    ['nothing', METER(''), 'none'],
    ['a method that is called', METER('    def end(self):\n        self.rows.clear()\n'), 'release: self.rows.clear()'],
    ['a method without a call', METER('    def wipe(self):\n        self.rows.clear()\n'), 'none'],
    [
      'a method that is called in the class only',
      METER('    def reset(self):\n        self.reset()\n        self.rows = []\n'),
      'none',
    ],
    [
      'a hook of a framework',
      METER('    def on_epoch_end(self):\n        self.rows = []\n'),
      'release: self.rows = []',
    ],
    ['a method of an object that a library is handed', HANDED('Trainer(9).fit(task)'), 'release: self.rows.clear()'],
    [
      'a method of an object in a list that a library is handed',
      HANDED('tasks.append(task)\nloop = Trainer(tasks)'),
      'release: self.rows.clear()',
    ],
    ['a method of an object whose state PyTorch saves', HANDED('import torch\ntorch.save(task)'), 'none'],
    ['a method of an object that only the workspace is handed', HANDED('def show(it):\n    pass\nshow(task)'), 'none'],
    [
      'a log of Lightning, which resets a metric that it is given',
      METER("    def end(self):\n        self.log('ap', self.rows, on_epoch=True)\n"),
      "release: self.log('ap', self.rows, on_epoch=True)",
    ],
    [
      'a log of several metrics',
      METER("    def end(self):\n        self.log_dict({'ap': self.rows})\n"),
      "release: self.log_dict({'ap': self.rows})",
    ],
    ['a log of its result', METER("    def end(self):\n        self.log('ap', self.rows.compute())\n"), 'none'],
    [
      'clearing all lists of a list',
      METER('    def end(self):\n        for one in (self.rows, self.other):\n            one.clear()\n'),
      'release: one.clear()',
    ],
    [
      'clearing all lists of a dictionary that a function is given',
      METER(
        "    def end(self):\n        wipe({'rows': self.rows})\ndef wipe(lists):\n    for name, one in lists.items():\n        one.clear()\n",
      ),
      'release: one.clear()',
    ],
    [
      'clearing other lists that a function is given',
      METER(
        '    def end(self):\n        wipe([self.other])\ndef wipe(lists):\n    for one in lists:\n        one.clear()\n',
      ),
      'none',
    ],
    [
      'a reset of all metrics in a list',
      METER('    def end(self):\n        for metric in (self.rows, self.other):\n            metric.reset()\n'),
      'release: metric.reset()',
    ],
    [
      'a test of a count that ends',
      METER('    def end(self):\n        self.count += 1\n', 'if self.count < 9: self.rows.append(row)'),
      'flag',
    ],
    [
      'a test of a count that starts again',
      METER('    def end(self):\n        self.count = 0\n', 'if self.count < 9: self.rows.append(row)'),
      'none',
    ],
    [
      'another object of the class, in a loop',
      {
        ...METER(''),
        'train.py':
          'from meter import Meter\nmeter = Meter()\nfor x in data:\n    meter.update(net(x))\n    if done:\n        meter = Meter()\n',
      },
      'release: meter = Meter()',
    ],
    [
      'another object of the class, before the loop',
      {
        ...METER(''),
        'train.py':
          'from meter import Meter\nmeter = Meter()\nmeter = Meter()\nfor x in data:\n    meter.update(net(x))\n',
      },
      'none',
    ],
    ['a hook that runs when all is over', METER('    def on_fit_end(self):\n        self.rows = []\n'), 'none'],
    [
      'a list made where there was none',
      METER('    def end(self):\n        if self.rows is None:\n            self.rows = []\n'),
      'none',
    ],
    ['a longer list in its place', METER('    def end(self):\n        self.rows = self.rows + [0]\n'), 'none'],
    [
      'a part of it in its place',
      METER('    def end(self):\n        self.rows = self.rows[-9:]\n'),
      'release: self.rows = self.rows[-9:]',
    ],
    [
      'one item, whose value is used',
      METER('    def end(self):\n        row = self.rows.pop()\n'),
      'release: row = self.rows.pop()',
    ],
    [
      'a queue that a thread reads',
      METER(
        '    def start(self):\n        Thread(target=self.work)\n    def work(self):\n        x = self.rows.get()\n',
        'self.rows.put(row)',
      ),
      'release: x = self.rows.get()',
    ],
    [
      'a dictionary that is read',
      METER('    def end(self):\n        x = self.rows.get(0)\n', 'self.rows[id(row)] = row'),
      'keys',
    ],
    [
      'the best of it',
      METER('', 'self.rows = heapq.nlargest(9, self.rows + [row])'),
      'release: self.rows = heapq.nlargest(9, self.rows + [row])  #!',
    ],
    [
      'a bound',
      METER('', 'self.rows.append(row)', 'deque(maxlen=cfg["n"])'),
      'length: self.rows = deque(maxlen=cfg["n"])',
    ],
    [
      'what makes things with a bound',
      METER('', 'self.rows.append(row)', 'ring()\n        ring = partial(deque, maxlen=9)'),
      'length: self.rows = ring()',
    ],
    ['no bound', METER('', 'self.rows.append(row)', 'deque(maxlen=None)'), 'none'],
    [
      'a place that goes back to the start',
      METER('    def end(self):\n        if self.at > 9:\n            self.at = 0\n', 'self.rows[self.at] = row'),
      'ring: self.at = 0',
    ],
    ['keys', METER('', 'self.rows[key] = row'), 'keys'],
    [
      'keys that are looked up',
      METER('    def end(self):\n        pass\n', 'if row not in self.rows: self.rows[row] = row'),
      'keys',
    ],
    [
      'keys whose absence is an error',
      METER('', 'try: return self.rows[row]\n        except KeyError: self.rows[row] = net(row)'),
      'keys',
    ],
    [
      'keys that are read out of a tensor',
      METER('', 'for i, one in zip(ids.tolist(), row): self.rows[i] = one'),
      'keys',
    ],
    ['keys of the step', METER('', 'self.rows[step] = row'), 'keys'],
    ['rows under keys that are read', METER('', 'self.rows[i.item()].append(row)'), 'none'],
    [
      'what it holds, under another name',
      METER('', 'rows = self.rows[key]\n        if len(rows) == 9: rows.pop(0)\n        rows.append(row)'),
      'release: if len(rows) == 9: rows.pop(0)',
    ],
    [
      'each of what it holds',
      METER('    def end(self):\n        for name, rows in self.rows.items():\n            del rows[:-9]\n'),
      'release: del rows[:-9]',
    ],
    [
      'a part of one of what it holds',
      METER('    def end(self):\n        self.rows[key] = self.rows[key][-9:]\n', 'self.rows[key].append(row)'),
      'release: self.rows[key] = self.rows[key][-9:]',
    ],
    [
      'a function that is given it',
      METER('    def end(self):\n        trim(self.rows)\ndef trim(rows):\n    while len(rows) > 9: rows.pop(0)\n'),
      'release: while len(rows) > 9: rows.pop(0)',
    ],
    ['a name for one of its items', METER('    def end(self):\n        row = self.rows[0]\n        row = 0\n'), 'none'],
    [
      'a function that cuts what it gives',
      METER(
        'def push(old, row):\n    all = cat(old, row)\n    return all[-9:] if len(all) > 9 else all\n',
        'self.rows = push(self.rows, row)',
      ),
      'release: self.rows = push(self.rows, row)  #!',
    ],
    [
      'a function that gives more',
      METER('def push(old, row):\n    return cat(old, row)\n', 'self.rows = push(self.rows, row)'),
      'none',
    ],
    ['sums under keys', METER('', 'self.rows[key] = self.rows.get(key, 0) + row'), 'running'],
    [
      'a test of its length',
      METER('', 'if len(self.rows) < self.most: self.rows.append(row)'),
      'test: if len(self.rows) < self.most: self.rows.append(row)  #!',
    ],
    ['a test of a counter', METER('', 'if self.seen < self.most: self.rows.append(row)'), 'flag'],
    [
      'a test of what is counted up',
      METER('    def end(self):\n        self.seen += 1\n', 'if self.seen < self.most: self.rows.append(row)'),
      'flag',
    ],
    [
      'a test of a counter that only the constructor sets',
      METER(
        'class Other:\n    def __init__(self):\n        self.seen, self.most = 0, 9\n',
        'if self.seen < self.most: self.rows.append(row)',
      ),
      'none',
    ],
    [
      'a test of a counter that is set by its name',
      METER(
        'class Other:\n    def __init__(self):\n        self.seen, self.most = 0, 9\n    def add(self):\n        setattr(self, "seen", 9)\n',
        'if self.seen < self.most: self.rows.append(row)',
      ),
      'flag',
    ],
    [
      'a method that only a docstring and a comment mention',
      METER(
        '    def trim(self):\n        pass\n        self.rows.pop(0)\n    def end(self):\n        """Later trim() it."""\n        # self.trim()\n',
      ),
      'none',
    ],
    [
      'a method that a text names',
      METER(
        '    def trim(self):\n        self.rows.pop(0)\n    def end(self, name="trim"):\n        getattr(self, name)()\n',
      ),
      'release: self.rows.pop(0)',
    ],
    [
      'a test of each parameter',
      METER(
        '',
        'for p in net.parameters():\n            if p.grad is not None and p.ndim > 1: self.rows.append(p.grad.clone())',
      ),
      'none',
    ],
    ['a test of each batch', METER('', 'for one in row:\n            if one.step < 9: self.rows.append(one)'), 'flag'],
    ['a test of the epoch that leaves', METER('', 'if epoch > 0: return\n        self.rows.append(row)'), 'flag'],
    ['a test of the epoch that begins late', METER('', 'if epoch >= self.start: self.rows.append(row)'), 'none'],
    ['the same, of what leaves', METER('', 'if self.epoch < start: return\n        self.rows.append(row)'), 'none'],
    ['a test of the epoch that ends', METER('', 'if self.most > epoch: self.rows.append(row)'), 'flag'],
    ['the other branch of one', METER('', 'if epoch >= 5: pass\n        else: self.rows.append(row)'), 'flag'],
    ['its opposite', METER('', 'if not (epoch >= 5): self.rows.append(row)'), 'flag'],
    ['a test of a count that falls', METER('', 'if steps_left > 0: self.rows.append(row)'), 'flag'],
    ['a test of the rank', METER('', 'if rank == 0: self.rows.append(row)'), 'flag'],
    ['a test that holds every so often', METER('', 'if self.seen % 9 == 0: self.rows.append(row)'), 'none'],
    [
      'a flag that is set somewhere',
      METER('    def end(self):\n        self.done = True\n', 'if not self.done: self.rows.append(row)'),
      'flag',
    ],
    ['a flag that is never set', METER('', 'if self.training: self.rows.append(row)'), 'none'],
  ];
  for (const [name, files, expected] of cases) {
    it(`is ${name}: ${expected.replace(/:.*/, '')}`, () => {
      assert.equal(releaseIn(files, 'Meter.rows'), expected);
    });
  }

  it('may be in any file that the program imports, and in no other', () => {
    const files = METER('');
    const hooks = 'class Hook:\n    def on_epoch_end(self, meter):\n        meter.rows = []\n';
    assert.equal(releaseIn({ ...files, 'hooks.py': hooks }, 'Meter.rows'), 'none');
    const train = `from hooks import Hook\n${files['train.py']}`;
    assert.equal(
      releaseIn({ ...files, 'hooks.py': hooks, 'train.py': train }, 'Meter.rows'),
      'release: meter.rows = []',
    );
  });

  it('may get an attribute by a name that is a text elsewhere', () => {
    const files = (name: string): Files => ({
      ...METER(''),
      'meter.py': `${METER('')['meter.py']}    def end(self):\n        self.attribute = '${name}'\n        rows = getattr(self, self.attribute)\n        rows.clear()\n`,
    });
    assert.equal(releaseIn(files('rows'), 'self.rows'), 'release: rows.clear()');
    assert.equal(releaseIn(files('lines'), 'self.rows'), 'none');
  });

  it('may reset attributes by their names', () => {
    const files = METER('    def end(self):\n        for name in self.names:\n            setattr(self, name, [])\n');
    assert.equal(releaseIn(files, 'Meter.rows'), 'none');
    files['meter.py'] += '    def more(self):\n        self.names = ["rows"]\n';
    assert.equal(releaseIn(files, 'Meter.rows'), 'release: setattr(self, name, [])');
  });

  it('is no hook of a framework where all base classes are there and none calls it', () => {
    const hook = (base: string): Files => {
      const files = METER('    def training_epoch_end(self):\n        self.rows = []\n');
      return { ...files, 'meter.py': files['meter.py'].replace('class Meter:', `class Meter(${base}):`) };
    };
    const own = 'from torch import nn\nclass Base(nn.Module):\n    pass\n';
    const of = (base: string, more: string): string => {
      const files = hook(base);
      return releaseIn({ ...files, 'meter.py': `${own}${files['meter.py']}${more}` }, 'Meter.rows');
    };
    assert.equal(of('Base', ''), 'none');
    assert.equal(of('LightningModule', ''), 'release: self.rows = []');
    assert.equal(of('Base', 'def call(meter, event):\n    getattr(meter, event)()\n'), 'release: self.rows = []');
    assert.equal(of('Base', "def size(meter):\n    return getattr(meter, 'rows', None)\n"), 'none');
  });

  it('covers attributes whose names are computed', () => {
    const files = METER('    def end(self):\n        setattr(self, key, [])\n', 'getattr(self, key).append(row)');
    assert.equal(releaseIn(files, 'getattr(self, key)'), 'release: setattr(self, key, [])');
    assert.equal(releaseIn(METER('', 'getattr(self, key).append(row)'), 'getattr(self, key)'), 'none');
  });

  it('covers items under a literal key, and variables of one function', () => {
    const state = {
      'train.py': "state = {'out': []}\ndef on_epoch_end():\n    state['out'] = []\nstate['out'].append(x)  #!\n",
    };
    assert.equal(releaseIn(state, "state['out']"), "release: state['out'] = []");
    const local = {
      'train.py':
        'def a():\n    kept = []\n    for x in y:\n        kept.append(x)  #!\ndef b():\n    for x in y:\n        kept.clear()\n',
    };
    assert.equal(releaseIn(local, 'kept'), 'none');
    local['train.py'] = local['train.py'].replace('def b():\n', '');
    assert.equal(releaseIn(local, 'kept'), 'release: kept.clear()');
  });

  it('may be in another function that uses the variable of the file, and not in one with a variable of that name', () => {
    const files = (take: string): Files => ({
      'train.py': `from torch.autograd import Function\nslots = {}\nclass Spike(Function):\n    def forward(ctx, row):\n        slots[ctx.i] = row  #!\n    def backward(ctx, g):\n        ${take}\nfor x in data:\n    Spike.apply(x).sum().backward()\n`,
    });
    assert.equal(releaseIn(files('return slots.pop(ctx.i)'), 'slots'), 'release: return slots.pop(ctx.i)');
    assert.equal(releaseIn(files('slots = {}; return slots.pop(ctx.i)'), 'slots'), 'keys');
  });

  it('is in the function that another one was given the container by', () => {
    const files = (consumer: string): Files => ({
      'train.py': `def work(jobs, done):\n    for job in jobs:\n        done.put(job)  #!\ndef main():\n    done = Queue()\n    Thread(target=work, args=(jobs, done)).start()\n    for _ in jobs:\n        ${consumer}\n`,
    });
    assert.equal(releaseIn(files('done.get()'), 'done'), 'release: done.get()');
    assert.equal(releaseIn(files('print(len(jobs))'), 'done'), 'none');
  });

  it('follows a container into the attributes of objects that are given it', () => {
    const served = (cls: string, more = ''): string =>
      releaseIn(
        {
          'train.py': `${cls}\ndef main():\n    step, seen = 0, []\n    log = Log(seen)\n    while True:\n        seen.append(net(x))  #!\n${more}`,
        },
        'seen',
      );
    const log = (method: string, base = ''): string =>
      `class Log${base}:\n    def __init__(self, rows):\n        self.level, self.rows = 0, rows\n${method}`;
    const clears = '    def flush(self):\n        self.rows.clear()\n';
    assert.equal(served(log(clears), '        log.flush()\n'), 'release: self.rows.clear()');
    assert.equal(served(log(clears)), 'none');
    const runs = log(clears.replace('flush', 'run'), '(threading.Thread)');
    assert.equal(served(runs), 'release: self.rows.clear()');
    assert.equal(served(log('    def flush(self):\n        self.level.clear()\n'), '        log.flush()\n'), 'none');
    // An item is not the container.
    const last = 'class Last:\n    def see(self, rows):\n        self.last = rows[-1]\n        self.last.clear()\n';
    assert.equal(served(last, '        Last().see(seen)\n'), 'none');
  });

  it('is not looked for by a name of absurd length', () => {
    assert.equal(nameOfHolder(`self.${'['.repeat(1_000_000)}`), null);
    assert.deepEqual(nameOfHolder('self.rows[name]'), { kind: 'attribute', name: 'rows' });
    assert.deepEqual(outerName("Hooks.samples['0']"), { kind: 'attribute', name: 'samples' });
    assert.equal(outerName('Hooks.samples'), null);
  });
});
