import assert from 'node:assert/strict';
import { program, retained } from './follow.js';

const lineOf = (place: { line: number } | null): number | null => place?.line ?? null;

/** Training on several tasks, with what is kept of each. */
const tasks = (use: string, around = ''): string => `class Anchors:
    def __init__(self):
        self.kept = []

    def add(self, net):
        self.kept.append(net.weight.clone()) #!

    def __call__(self, net):
        return sum((net.weight - one).square().sum() for one in self.kept)
${around}

def main(net, loader, optimizer):
    anchors, count = Anchors(), 0
    for task in range(10):
        for x in loader: #step
            loss = net(x).mean()${use}
            loss.backward()
            optimizer.step()
        anchors.add(net) #1


main(net, loader, optimizer) #2
`;

describe('What uses memory that is kept', () => {
  it('is a statement in the loop of the steps, or in an object that is called there', () => {
    assert.equal(lineOf(retained(program(tasks(' + anchors(net)'))).use), 9);
    assert.equal(lineOf(retained(program(tasks(' + sum(one.mean() for one in anchors.kept)'))).use), 16);
  });

  it('is no statement that runs once per round, and none that needs the length or the newest alone', () => {
    assert.equal(retained(program(tasks(''))).use, null);
    for (const use of [
      ' + len(anchors.kept)',
      ' + anchors.kept[-1].mean()',
      ' + sum(anchors.kept[-3:])',
      ' if not anchors.kept else 0',
    ])
      assert.equal(retained(program(tasks(use))).use, null, use);
  });

  it('is whole where all items are gone through', () => {
    const decoding = (use: string): string => `def decode(net, count):
    state, states = None, {}
    for _ in range(count): #step
        state = net(state) #!
        states[len(states)] = state
        ${use}


decode(net, 100) #1
`;
    const isWhole = (use: string): boolean | undefined => retained(program(decoding(use))).use?.isWhole;
    assert.equal(isWhole('torch.stack([states[i] for i in range(len(states))])'), true);
    assert.equal(isWhole('torch.stack(list(states.values()))'), true);
    assert.equal(isWhole('sum(w * one for w, one in zip(weights, states.values()))'), true);
    assert.equal(isWhole('print(states[count])'), false);
    assert.equal(isWhole('print(len(states))'), undefined);
  });

  it('is a result if a method reads it that runs after the loop, or when a library is done', () => {
    const index = (search: string, loop = 'index.add(net(x)) #2'): string => `class Index:
    def __init__(self):
        self.shards = []
    def add(self, vectors):
        self.shards.append(vectors.clone()) #!
    def __iter__(self):
        yield from self.shards
    def on_train_end(self):
        torch.cat(self.shards)
        self.shards.clear()
    def search(self, query):
        return max(one @ query for one in self)


def build(net, loader):
    index = Index()
    for x in loader:
        ${loop}
    return index


index = build(net, loader) #3
${search}
`;
    const at = (text: string): unknown[] => {
      const { read } = retained(program(text.replace(' #2', ' #1').replace(' #3', ' #2')));
      return [read?.line, read?.isAtTheEnd, read?.isOfEvaluation];
    };
    assert.deepEqual(at(index('index.search(query)').replace('on_train_end', 'wipe')), [7, false, true]);
    assert.deepEqual(at(index('pass').replace('on_train_end', 'wipe')), [undefined, undefined, undefined]);
    const during = 'index.search(index.add(net(x))) #2';
    assert.deepEqual(at(index('pass', during).replace('on_train_end', 'wipe')), [undefined, undefined, undefined]);
    assert.deepEqual(at(index('pass')), [9, true, true]);
  });

  it('is known to be added seldom where its loop is around one that trains, or a count decides', () => {
    assert.equal(retained(program(tasks(''))).isAddedSeldom, true);
    const every = (test: string): string => `def main(net, loader):
    kept = []
    for step, x in enumerate(loader):
        net(x).backward()
        if ${test}:
            kept.append(net(x)) #!


main(net, loader) #1
`;
    // The training may be in a function.
    const boosting = `def fit(loader):
    kept = []
    for _ in range(10):
        kept.append(fit_one(loader)) #1


def fit_one(loader):
    net = Net()
    weight = torch.zeros(9) #!
    for x in loader:
        net(x).backward()
    return weight


fit(loader) #2
`;
    assert.equal(retained(program(boosting)).isAddedSeldom, true);
    assert.equal(retained(program(boosting.replace('net(x).backward()', 'net(x)'))).isAddedSeldom, false);
    const isSeldom = (text: string): boolean => retained(program(text)).isAddedSeldom;
    const seldom = ['step % 10 == 0', 'step % log_every == 0', 'not step % 10', 'net.training and step % 10 == 0'];
    const often = ['step % 3 == 0', 'net.training', 'step % 10', 'step % 10 != 0', 'net.training or step % 10 == 0'];
    assert.deepEqual(
      [...seldom, ...often].map((test) => isSeldom(every(test))),
      [...seldom.map(() => true), ...often.map(() => false)],
    );
    // The test may be before the statement, or around the call of its function.
    const early = (test: string, call: string): string => `def keep(step, x):
    ${test}
    kept.append(net(x)) #!


kept = []
for step, x in enumerate(loader):
    net(x).backward()
    ${call}
`;
    assert.equal(isSeldom(early('if step % 10 != 0: return', 'keep(step, x) #1')), true);
    assert.equal(isSeldom(early('if step % 10 == 0: return', 'keep(step, x) #1')), false);
    assert.equal(isSeldom(early('pass', 'if step % 10 == 0: keep(step, x) #1')), true);
    assert.equal(isSeldom(early('pass', 'keep(step, x) #1')), false);
    // A test behind that of its own block is not asked.
    const behind = 'if net.training: keep(step, x) #1\n    elif step % 10: print(step)';
    assert.equal(isSeldom(early('pass', behind)), false);
  });

  it('is the end of a training run, not of a service, where a method reads it there', () => {
    const read = (name: string): string =>
      tasks('', `\n    def ${name}(self):\n        return torch.stack(self.kept)\n`);
    assert.equal(lineOf(retained(program(read('on_fit_end'))).read), 12);
    assert.equal(retained(program(read('close'))).read, null);
    assert.equal(retained(program(read('on_train_epoch_end'))).read, null);
  });
});
