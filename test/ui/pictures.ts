/** The pictures of README.md: what a user sees on the example, in the dark theme, sharp enough for any screen. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../support/repository.js';
import { copyExample, removeCopies } from '../support/workspaces.js';
import { UiSession } from './support/session.js';
import { comparePair } from './workbench/comparing.js';
import type { Workbench } from './workbench/workbench.js';

const guilty = 'detector/pyramid.py';

const pictures: Record<string, (workbench: Workbench) => Promise<void>> = {
  lens: async (workbench) => {
    await workbench.openFile(guilty, 16);
    await workbench.editor.untilLens(16, /leaked/);
    await workbench.editor.clickLens(/leaked/);
    await workbench.sideBar.tree('Leaks').untilRow(/<listcomp>/);
  },
  timeline: async (workbench) => {
    await workbench.openFile(guilty, 16);
    await workbench.editor.untilLens(16, /leaked/);
    await workbench.runCommand('View: Toggle Primary Side Bar Visibility');
    await workbench.editor.clickLens('Show on timeline');
    const timeline = await workbench.timeline();
    await timeline.liveRows();
    await timeline.clickCurve(0.8);
  },
  compare: async (workbench) => {
    await workbench.openFile(guilty, 16);
    await workbench.editor.untilLens(16, /leaked/);
    await comparePair(workbench, 'step_0010.pickle', 'step_0040.pickle');
    await workbench.editor.untilLens(16, /since/);
    await workbench.sideBar.tree('Compare').toggle(/pyramid/);
  },
};

const folder = join(repositoryRoot(), 'media/readme');
mkdirSync(folder, { recursive: true });
const session = await UiSession.start({
  linkedExtensions: [repositoryRoot()],
  settings: { 'editor.minimap.enabled': false },
});
try {
  for (const [name, arrange] of Object.entries(pictures)) {
    const workbench = await session.open({
      folder: copyExample(),
      scale: 1.5,
      size: { width: 1400, height: 800 },
    });
    await arrange(workbench);
    await workbench.settle();
    await workbench.page.screenshot({ path: join(folder, `${name}.png`) });
    console.log(`media/readme/${name}.png`);
    await session.closeWindows();
  }
} finally {
  await session.close();
  removeCopies();
}
