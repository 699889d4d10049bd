import assert from 'node:assert/strict';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { assertShows } from '../support/shownBytes.js';
import { FIXTURES } from '../support/snapshots.js';
import { copyExample } from '../support/workspaces.js';
import { uiSession } from './support/fixture.js';

const MIB = 2 ** 20;

describe('Curves without lines and reference cycles', () => {
  const ui = uiSession();

  it('are rows among the snapshots, and a curve opens on the timeline', async () => {
    const folder = copyExample();
    const rows = Array.from({ length: 60 }, (_, step) =>
      JSON.stringify({ 'allocated_bytes.all.current': (64 + 2 * step) * MIB, 'reserved_bytes.all.current': 256 * MIB }),
    );
    writeFileSync(join(folder, 'memory_stats.jsonl'), rows.join('\n'));
    copyFileSync(join(FIXTURES, 'profiler/cycle.html'), join(folder, 'cycle.html'));
    const workbench = await ui.open({ folder });
    const tree = workbench.sideBar.tree('Snapshots');
    await workbench.runCommand('Leakline: Focus on Snapshots View');
    await tree.untilRow(/memory_stats\.jsonl.*64\.0 MiB → 182 MiB/);
    await tree.untilRow(/cycle\.html.*2 tensors held among 11 objects/);
    await tree.toggle('cycle.html');
    await tree.untilRow(/in the cycle .* function hook/);
    await workbench.screenshot('trend-and-cycles');

    await tree.click('memory_stats.jsonl');
    const timeline = await workbench.timeline();
    await timeline.lookIntoPeak();
    const { rows: listed, summary } = await timeline.live();
    const [only, ...others] = listed;
    assert.deepEqual([only.place, only.bytes, others.length], ['No stack recorded', 182 * MIB, 0]);
    assertShows(summary, 182 * MIB);
    assert.match(summary, /^At row 59: /);
    await workbench.screenshot('trend-on-timeline');
  });
});
