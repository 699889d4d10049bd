import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { Latest } from '../../../webview/model/latest.js';

interface OpenQuestion {
  question: number;
  signal: AbortSignal;
  answer: (value: string) => void;
  fail: (error: Error) => void;
}

function setUp(paceMs = 0) {
  const asked: OpenQuestion[] = [];
  const heard: string[] = [];
  const latest = new Latest<number, string>(
    (question, signal) =>
      new Promise((answer, fail) => {
        asked.push({ question, signal, answer, fail });
      }),
    {
      answer: (answer, question) => heard.push(`${question}: ${answer}`),
      failure: (error, question) => heard.push(`${question} failed: ${(error as Error).message}`),
      settled: () => heard.push('settled'),
    },
    paceMs,
  );
  return { asked, heard, latest };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('Requests of which only the latest matters:', () => {
  it('one is open at a time, and of those that wait only the last is asked', async () => {
    const { asked, heard, latest } = setUp();
    for (const question of [1, 2, 3, 4]) latest.request(question);
    assert.deepEqual(
      asked.map(({ question }) => question),
      [1],
    );
    asked[0].answer('one');
    await turn();
    assert.deepEqual(
      asked.map(({ question }) => question),
      [1, 4],
    );
    asked[1].answer('four');
    await turn();
    assert.deepEqual(heard, ['1: one', '4: four', 'settled']);
  });

  it('reports a failure, and asks the waiting question all the same', async () => {
    const { asked, heard, latest } = setUp();
    latest.request(1);
    latest.request(2);
    asked[0].fail(new Error('no'));
    await turn();
    asked[1].answer('two');
    await turn();
    assert.deepEqual(heard, ['1 failed: no', '2: two', 'settled']);
  });

  it('cancels the open question at a restart, and drops its late answer', async () => {
    const { asked, heard, latest } = setUp();
    latest.request(1);
    latest.request(2);
    latest.restart(3);
    assert.equal(asked[0].signal.aborted, true);
    asked[0].answer('too late');
    asked[1].answer('three');
    await turn();
    assert.deepEqual(heard, ['3: three', 'settled']);
    assert.equal(asked.length, 2);
  });

  it('after a cancel nothing is heard, and new questions are asked', async () => {
    const { asked, heard, latest } = setUp();
    latest.request(1);
    latest.cancel();
    asked[0].fail(new Error('cancelled'));
    await turn();
    assert.deepEqual(heard, []);
    latest.request(2);
    asked[1].answer('two');
    await turn();
    assert.deepEqual(heard, ['2: two', 'settled']);
  });

  describe('at a pace', () => {
    let nowMs = 0;
    const pass = (ms: number): void => {
      nowMs += ms;
      mock.timers.tick(ms);
    };
    beforeEach(() => {
      mock.timers.enable({ apis: ['setTimeout'] });
      mock.method(performance, 'now', () => nowMs);
    });
    afterEach(() => {
      mock.timers.reset();
      mock.restoreAll();
    });

    it('the last of those that come too soon is asked when it is time, and a restart at once', async () => {
      const { asked, heard, latest } = setUp(200);
      const questions = (): number[] => asked.map(({ question }) => question);
      latest.request(1);
      asked[0].answer('one');
      await turn();
      latest.request(2);
      latest.request(3);
      pass(199);
      assert.deepEqual(questions(), [1], 'asked before it was time');
      pass(1);
      assert.deepEqual(questions(), [1, 3]);
      asked[1].answer('three');
      await turn();
      assert.deepEqual(heard, ['1: one', 'settled', '3: three', 'settled']);

      latest.request(4);
      latest.restart(5);
      assert.equal(questions().at(-1), 5);
      latest.cancel();
      latest.request(6);
      latest.cancel();
      pass(1000);
      assert.equal(questions().includes(6), false, 'given up while it waited');
    });
  });
});
