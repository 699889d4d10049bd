import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { analyze, leakingLines, snapshotsIn } from '../support/cli.js';
import { dumpInPieces } from '../support/dumping.js';
import { eventually } from '../support/eventually.js';
import { assertShows } from '../support/shownBytes.js';
import { copyExample, exampleFolder } from '../support/workspaces.js';
import { uiSession } from './support/fixture.js';
import { describeInFull } from '../support/sample.js';

const file = 'detector/pyramid.py';

describeInFull('A training run while VS Code watches', () => {
  const ui = uiSession();

  it('changes the lens when a snapshot is complete', async () => {
    const folder = copyExample({ untilStep: 30 });
    const name = 'step_0035.pickle';
    const leak = () => {
      const lines = leakingLines(analyze(folder, snapshotsIn(join(folder, 'snapshots'))));
      const line = lines.find((candidate) => candidate.file === file);
      assert.ok(line !== undefined);
      return line;
    };
    const before = leak();
    const workbench = await openAt(folder);
    const { editor } = workbench;
    assertShows(await editor.untilLens(before.line, /leaked/), before.leakedBytes);

    const bytes = readFileSync(join(exampleFolder(), 'snapshots', name));
    await dumpInPieces(join(folder, 'snapshots', name), bytes, { pieces: 5, pauseMs: 300 });
    const complete = Date.now();
    const after = leak();
    assert.notEqual(after.leakedBytes, before.leakedBytes);
    await eventually(async () => {
      assertShows(await editor.untilLens(after.line, /leaked/, 1_000), after.leakedBytes);
    });
    console.log(`      (${Date.now() - complete} ms after the last byte)`);
    await workbench.screenshot('after-a-dump');
  });

  it('goes on past a file that is no snapshot, without a message in the way', async () => {
    const folder = copyExample({ untilStep: 30 });
    const workbench = await openAt(folder);
    const { editor, notifications, sideBar } = workbench;
    await editor.untilLens(16, /leaked/);
    const whole = readFileSync(join(exampleFolder(), 'snapshots/step_0035.pickle'));
    writeFileSync(join(folder, 'snapshots/half.pickle'), whole.subarray(0, whole.length >> 1));
    writeFileSync(join(folder, 'snapshots/hostile.pickle'), '\x80\x04cos\nsystem\n(X\x04\x00\x00\x00truetR.', 'latin1');
    const damaged = Buffer.from(whole);
    damaged.fill(0xff, whole.length >> 1, (whole.length >> 1) + 64);
    writeFileSync(join(folder, 'snapshots/step_0035.pickle'), damaged);
    writeFileSync(join(folder, 'snapshots/words.pickle'), '\x80\x04]\x8c\x04worda.', 'latin1');
    await workbench.runCommand('Leakline: Show Leaks');
    await sideBar.tree('Snapshots').untilRow(/step_0035\.pickle.*is no readable pickle: .* at byte \d+/);
    await sideBar.tree('Snapshots').untilNoRow(/words/);
    await sideBar.tree('Snapshots').untilRow(/half\.pickle.*\w+/);
    await sideBar.tree('Snapshots').untilRow(/hostile\.pickle.*\w+/);
    await workbench.openFile(file);
    await editor.untilLens(16, /leaked/);
    const messages = await notifications.texts();
    assert.deepEqual(
      messages.filter((text) => /half|hostile|pickle|snapshot/i.test(text)),
      [],
    );
    await workbench.screenshot('bad-files');
  });

  async function openAt(folder: string) {
    const workbench = await ui.open({ folder });
    await workbench.openFile(file);
    return workbench;
  }
});
