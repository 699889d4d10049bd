import assert from 'node:assert/strict';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { analyze, leakingLines, snapshotsIn } from '../support/cli.js';
import { dumpInPieces } from '../support/dumping.js';
import { eventually, steadily } from '../support/eventually.js';
import { copyExample, exampleFolder } from '../support/workspaces.js';
import { uiSession } from './support/fixture.js';
import type { Workbench } from './workbench/workbench.js';

const guilty = { file: 'detector/pyramid.py', line: 16, holder: 18 };

describe('A training run while VS Code watches', () => {
  const ui = uiSession();
  let folder: string;
  let workbench: Workbench;

  ui.prepare(async () => {
    folder = copyExample({ untilStep: 5 });
    workbench = await ui.open({ folder });
  });

  const recorded = (step: string): string => join(exampleFolder(), 'snapshots', `step_${step}.pickle`);
  const dumped = (step: string): string => join(folder, 'snapshots', `step_${step}.pickle`);

  it('alerts once when it begins to leak, and leads to the statement that holds the memory', async () => {
    const { notifications, sideBar, editor } = workbench;
    await workbench.openFile('detector/backbone.py');
    await workbench.runCommand('Leakline: Show Leaks');
    await sideBar.tree('Snapshots').untilRow(/step_0005/);
    // One snapshot is shown by its peak and what holds it.
    await workbench.statusBarItem(/peak [\d.]+ MiB/).waitFor();
    await sideBar.tree('Leaks').untilRow(/peak [\d.]+ MiB/);
    await sideBar.tree('Leaks').untilRow(/pyramid\.py:16/);
    assert.deepEqual(await notifications.texts(), []);
    for (const step of ['0010', '0015', '0020']) copyFileSync(recorded(step), dumped(step));
    const alert = /leaks [\d.]+ MiB\/step of GPU memory, most at pyramid\.py:18/;
    await notifications.toast(alert).waitFor();
    // Under the pointer it stays, however long the rest takes.
    await notifications.toast(alert).hover();
    await workbench.picture('alert');
    for (const step of ['0025', '0030']) copyFileSync(recorded(step), dumped(step));
    await sideBar.tree('Snapshots').untilRow(/step_0030/);
    await steadily(async () => {
      assert.equal((await notifications.texts()).length, 1);
    }, 2_000);
    await notifications.press(alert, 'Show');
    await editor.untilActive(guilty.file);
    await editor.untilCursorAt(guilty.holder);
    await eventually(async () => {
      assert.deepEqual(await notifications.texts(), []);
    });
  });

  it('changes the lens when a snapshot is complete', async () => {
    const { editor } = workbench;
    const leakedBytes = (): number => {
      const lines = leakingLines(analyze(folder, snapshotsIn(join(folder, 'snapshots'))));
      return lines.find(({ file, line }) => file === guilty.file && line === guilty.line)?.leakedBytes ?? 0;
    };
    await workbench.openFile(guilty.file, guilty.line);
    const before = leakedBytes();
    await editor.untilLeaked(guilty.line, before);
    await dumpInPieces(dumped('0035'), readFileSync(recorded('0035')), { pieces: 5, pauseMs: 300 });
    const complete = Date.now();
    const after = leakedBytes();
    assert.ok(after > before);
    await editor.untilLeaked(guilty.line, after);
    console.log(`      (${Date.now() - complete} ms after the last byte)`);
    await workbench.picture('after-a-dump');
  });

  it('continues after a file that is not a snapshot, without a message', async () => {
    const { editor, notifications, sideBar } = workbench;
    const whole = readFileSync(recorded('0040'));
    writeFileSync(join(folder, 'snapshots/half.pickle'), whole.subarray(0, whole.length >> 1));
    writeFileSync(join(folder, 'snapshots/hostile.pickle'), '\x80\x04cos\nsystem\n(X\x04\x00\x00\x00truetR.', 'latin1');
    const damaged = Buffer.from(whole);
    damaged.fill(0xff, whole.length >> 1, (whole.length >> 1) + 64);
    writeFileSync(dumped('0040'), damaged);
    writeFileSync(join(folder, 'snapshots/words.pickle'), '\x80\x04]\x8c\x04worda.', 'latin1');
    const snapshots = sideBar.tree('Snapshots');
    await snapshots.untilRow(/step_0040\.pickle.*is not a readable pickle: .* at byte \d+/);
    await snapshots.untilRow(/half\.pickle.*\w+/);
    await snapshots.untilRow(/hostile\.pickle.*\w+/);
    await snapshots.untilNoRow(/words/);
    await workbench.openFile(guilty.file);
    await editor.untilLens(guilty.line, /▲ Leaks/);
    const messages = await notifications.texts();
    assert.deepEqual(
      messages.filter((text) => /half|hostile|pickle|snapshot/i.test(text)),
      [],
    );
    await workbench.picture('bad-files');
  });
});
