import assert from 'node:assert/strict';
import type { Chance } from '../../../src/core/facts/evidence.js';
import { passedTexts } from '../../../src/core/verdict/reasonTexts.js';

function loop(file: string): Chance {
  return { kind: 'loop', state: 'passed', place: { file, line: 6 }, times: 3 };
}

describe('The sentences on loops that repeated', () => {
  const asyncio = '/usr/lib/python3.12/asyncio/base_events.py';

  it('leave out those in libraries if the program has some', () => {
    assert.deepEqual(passedTexts([loop(asyncio), loop('service.py')]), ['The loop at service.py:6 repeated 3 times.']);
  });

  it('name those in libraries if there are no others', () => {
    assert.deepEqual(passedTexts([loop(asyncio)]), ['The loop at asyncio/base_events.py:6 repeated 3 times.']);
  });
});
