/** The pictures of README.md and of the walkthrough: what a user sees on the example, in the dark theme, sharp enough for any screen. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { repositoryRoot } from '../support/repository.js';
import { copyExample, removeCopies } from '../support/workspaces.js';
import UPNG from 'upng-js';
import { UiSession } from './support/session.js';
import { comparePair } from './workbench/comparing.js';
import type { Workbench } from './workbench/workbench.js';

const guilty = 'detector/pyramid.py';

type Arrange = (workbench: Workbench) => Promise<void>;

const pictures: Record<string, Arrange> = {
  lens: async (workbench) => {
    await workbench.openFile(guilty, 16);
    await workbench.editor.untilLens(16, /▲ Leaks/);
    await workbench.editor.clickLens(/▲ Leaks/);
    await workbench.sideBar.tree('Leaks').untilRow(/<listcomp>/);
  },
  timeline: async (workbench) => {
    await workbench.openFile(guilty, 16);
    await workbench.editor.untilLens(16, /▲ Leaks/);
    await workbench.runCommand('View: Toggle Primary Side Bar Visibility');
    await workbench.editor.clickLens('Show on timeline');
    const timeline = await workbench.timeline();
    await timeline.live();
    await timeline.clickCurve(0.8);
  },
  compare: async (workbench) => {
    await workbench.openFile(guilty, 16);
    await workbench.editor.untilLens(16, /▲ Leaks/);
    await comparePair(workbench, 'step_0010.pickle', 'step_0040.pickle');
    await workbench.editor.untilLens(16, /since/);
    await workbench.sideBar.tree('Compare').toggle(/pyramid/);
    await workbench.webview('.compare-table tbody tr');
  },
};

const record: Arrange = async (workbench) => {
  const path = join(workbench.folder ?? '', 'train.py');
  const plain = readFileSync(path, 'utf8').replace(/^( *)if args\.snapshots\b.*\n(\1 +.*\n)+/gm, '');
  writeFileSync(path, plain);
  await workbench.runCommand('View: Toggle Primary Side Bar Visibility');
  await workbench.openFile('train.py', 41);
  await workbench.runCommand('Leakline: Insert Recording Code');
};

/** A picture of the walkthrough is small: the panel has all of it. */
function inFull(arrange: Arrange): Arrange {
  return async (workbench) => {
    await arrange(workbench);
    await workbench.runCommand('View: Toggle Maximized Panel');
  };
}

/** The pictures of the walkthrough, in the pixels of a screen: they are packed into the extension. */
const walkthrough: Record<string, Arrange> = {
  record,
  lines: pictures['lens'],
  timeline: inFull(pictures['timeline']),
  compare: inFull(pictures['compare']),
};

const session = await UiSession.start({
  linkedExtensions: [repositoryRoot()],
});
try {
  for (const [name, arrange] of Object.entries(pictures)) await take(`media/readme/${name}.png`, arrange, 1400, 1.5);
  for (const [name, arrange] of Object.entries(walkthrough))
    await take(`media/walkthrough/${name}.png`, arrange, 1000, 1);
} finally {
  await session.close();
  removeCopies();
}

/** @param width of the window, in CSS pixels */
async function take(path: string, arrange: Arrange, width: number, scale: number): Promise<void> {
  const workbench = await session.open({
    folder: copyExample(),
    scale,
    size: { width, height: Math.round(width * 0.57) },
  });
  await arrange(workbench);
  await workbench.settle();
  mkdirSync(dirname(join(repositoryRoot(), path)), { recursive: true });
  writeFileSync(join(repositoryRoot(), path), withFewColors(await workbench.page.screenshot()));
  console.log(path);
  await session.closeWindows();
}

/** A third of the bytes: the extension must stay small. */
function withFewColors(png: Buffer): Buffer {
  const picture = UPNG.decode(Uint8Array.from(png).buffer);
  return Buffer.from(UPNG.encode(UPNG.toRGBA8(picture), picture.width, picture.height, 256));
}
