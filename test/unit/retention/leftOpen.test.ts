import assert from 'node:assert/strict';
import { followed, program } from './follow.js';

/** The text of the line that a place stands on; empty where there is none. */
function textAt(place: { module: { text: string }; span: { from: number } } | null | undefined): string {
  if (place == null) return '';
  const { text } = place.module;
  return text
    .slice(text.lastIndexOf('\n', place.span.from - 1) + 1)
    .split('\n')[0]
    .trim();
}

const PHASES = (last: string): string => `
import torch
net = torch.nn.Linear(3, 3)
optimizer = torch.optim.SGD(net.parameters())
rows = []

def epoch(steps):
    for i in range(steps):
        rows.append(net(torch.randn(3, 3)))  #!
        optimizer.step()

def calibrate():
    epoch(60)  #1

def main():
    epoch(5)
    calibrate()  #2
    ${last}

main()  #3
`;

const SHUFFLED = (rest: string): string => `
import torch

def draw():
    while True:
        yield torch.randn(3, 3)  #!

def shuffle(stream, size):
    waiting = []
    for one in stream:  #1
        waiting.append(one)
${rest}

net = torch.nn.Linear(3, 3)
optimizer = torch.optim.SGD(net.parameters())
for x in shuffle(draw(), 9):  #2
    net(x)
    optimizer.step()
`;

describe('What following the source leaves open', () => {
  it('is whether training continues in the same loop, for another caller', () => {
    const goingOn = followed(program(PHASES('epoch(100)')));
    assert.equal(textAt(goingOn?.nextLoop), 'for i in range(steps):');
    assert.equal(followed(program(PHASES('print(rows)')))?.nextLoop, null);
  });

  it('is a generator on the way that holds items until it yields them', () => {
    const shuffling = SHUFFLED('        if len(waiting) >= size:\n            yield waiting.pop(torch.randint(size))');
    const found = followed(program(shuffling));
    assert.equal(found?.finding, null);
    assert.equal(textAt(found.buffer), 'yield waiting.pop(torch.randint(size))');
    assert.equal(followed(program(SHUFFLED('        yield one')))?.buffer, null);
  });

  it('is not whether what a mask selects was followed', () => {
    const found = followed(
      program(`
import torch
net = torch.nn.Linear(3, 3)
optimizer = torch.optim.SGD(net.parameters())
pool = []
for i in range(9):
    x = torch.randn(3, 3)
    net(x).sum().backward()
    optimizer.step()
    pool.append(x[x > 0])  #!
`),
    );
    assert.equal(found?.isWhole, true);
  });
});
