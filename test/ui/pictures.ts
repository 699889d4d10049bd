/** The pictures of README.md: what a user sees on the example, in the dark theme, at twice the resolution. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../support/repository.js';
import { copyExample, removeCopies } from '../support/workspaces.js';
import { UiSession } from './support/session.js';
import { comparePair } from './workbench/comparing.js';
import type { Workbench } from './workbench/workbench.js';

const pictures: Record<string, (workbench: Workbench) => Promise<void>> = {
  lens: async (workbench) => {
    await workbench.openFile('detector/pyramid.py', 16);
    await workbench.runCommand('Leakline: Show Leaks');
    await workbench.editor.untilLens(16, /leaked/);
  },
  timeline: async (workbench) => {
    await workbench.openFile('detector/pyramid.py', 16);
    await workbench.editor.untilLens(16, /leaked/);
    await workbench.runCommand('Leakline: Open Timeline');
    await (await workbench.timeline()).lookIntoPeak();
  },
  compare: async (workbench) => {
    await workbench.openFile('detector/pyramid.py', 16);
    await workbench.editor.untilLens(16, /leaked/);
    await comparePair(workbench, 'step_0010.pickle', 'step_0040.pickle');
    await workbench.editor.untilLens(16, /since/);
  },
};

const folder = join(repositoryRoot(), 'media/readme');
mkdirSync(folder, { recursive: true });
const session = await UiSession.start({ linkedExtensions: [repositoryRoot()] });
try {
  for (const [name, arrange] of Object.entries(pictures)) {
    const workbench = await session.open({
      folder: copyExample(),
      scale: 2,
      size: { width: 1200, height: 720 },
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
