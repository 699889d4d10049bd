import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dumpInPieces } from '../support/dumping.js';
import { steadily } from '../support/eventually.js';
import { exampleFolder } from '../support/workspaces.js';
import { inWorkspace } from './extension.js';
import { byteLenses, expectedLeaks, untilLensesShow } from './lenses.js';

const recorded = (step: string): Buffer => readFileSync(join(exampleFolder(), 'snapshots', `step_${step}.pickle`));
const snapshot = (step: string): string => inWorkspace('snapshots', `step_${step}.pickle`);

/** The folder was opened with the snapshots of steps 5 to 25; these tests add what comes after, in order. */
describe('Marks on lines', () => {
  it('show exactly the result of the command line', async () => {
    const expected = expectedLeaks();
    assert.ok(
      expected.some(({ file, line }) => file === 'detector/pyramid.py' && line === 16),
      'the example no longer leaks where its README says',
    );
    await untilLensesShow(expected);
  });

  it('follow a snapshot that is dumped in pieces, and not before it is whole', async () => {
    const before = await byteLenses();
    await dumpInPieces(snapshot('0030'), recorded('0030'), {
      pieces: 6,
      pauseMs: 400,
      afterPiece: async (written) => {
        if (written < recorded('0030').length) assert.deepEqual(await byteLenses(), before);
      },
    });
    assert.notDeepEqual(await untilLensesShow(expectedLeaks()), before);
  });

  it('follow a file that is overwritten in place', async () => {
    const before = await untilLensesShow(expectedLeaks());
    await dumpInPieces(snapshot('0030'), recorded('0035'), { pieces: 3, pauseMs: 300 });
    const after = await untilLensesShow(expectedLeaks());
    assert.notDeepEqual(after, before);
  });

  it('stay as they are when files come that are not snapshots, and follow the next one', async () => {
    const before = await untilLensesShow(expectedLeaks());
    const whole = recorded('0040');
    const bad = {
      'empty.pickle': Buffer.alloc(0),
      'text.pickle': Buffer.from('not a pickle at all'),
      'truncated.pickle': whole.subarray(0, whole.length >> 1),
      'global.pickle': Buffer.from('\x80\x04cos\nsystem\n(X\x04\x00\x00\x00truetR.', 'latin1'),
      'number.pickle': Buffer.from('\x80\x04K\x01.', 'latin1'),
    };
    for (const [name, bytes] of Object.entries(bad)) writeFileSync(inWorkspace('snapshots', name), bytes);
    try {
      await steadily(async () => {
        assert.deepEqual(await byteLenses(), before);
      }, 4_000);
      await dumpInPieces(snapshot('0040'), whole);
    } finally {
      for (const name of Object.keys(bad)) rmSync(inWorkspace('snapshots', name));
    }
    await untilLensesShow(expectedLeaks());
  });

  it('forget a snapshot that is deleted', async () => {
    await untilLensesShow(expectedLeaks());
    rmSync(snapshot('0040'));
    await untilLensesShow(expectedLeaks());
  });
});
