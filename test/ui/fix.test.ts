import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../support/eventually.js';
import { repositoryRoot } from '../support/repository.js';
import { newFolder } from '../support/workspaces.js';
import { uiSession } from './support/fixture.js';
import type { Workbench } from './workbench/workbench.js';

const planted = join(repositoryRoot(), 'test/fixtures/planted');
const keeps = "history['aux'].append(aux_loss)";
const letsGo = "history['aux'].append(aux_loss.detach())";
const title = 'Keep aux_loss without its graph';
/** The lines of the file that leak, and the one that keeps what they allocate. */
const leaking = [12, 20];
const keeping = 27;

/** A program that keeps a graph, with its snapshots and without what the recorder saw: only the source tells. */
function program(): string {
  const folder = newFolder('aux_loss');
  for (const name of ['train.py', 'model.py']) {
    cpSync(join(planted, 'corpus/aux_loss', name), join(folder, name));
  }
  mkdirSync(join(folder, 'snapshots'));
  const recordings = join(planted, 'recordings/aux_loss');
  for (const name of readdirSync(recordings).filter((one) => one.endsWith('.pickle'))) {
    cpSync(join(recordings, name), join(folder, 'snapshots', name));
  }
  return folder;
}

describe('A fix', () => {
  const ui = uiSession();
  let folder: string;
  let workbench: Workbench;
  let before: string;

  beforeEach(async () => {
    folder = program();
    before = readFileSync(join(folder, 'train.py'), 'utf8');
    workbench = await ui.open({ folder });
  });

  const lensTexts = async (): Promise<string[]> =>
    (await workbench.editor.lenses()).map(({ line, text }) => `${line} ${text}`);

  async function untilBright(): Promise<void> {
    await eventually(async () => {
      const texts = await lensTexts();
      for (const line of leaking) {
        assert.ok(
          texts.some((text) => text.startsWith(`${line} `) && /leaked(?!.*before your edit)/.test(text)),
          texts.join(),
        );
        assert.ok(texts.includes(`${line} Fix…`), texts.join('\n'));
      }
      assert.deepEqual(await workbench.editor.gutterLines(/gutter(?:%2F|\/)leak-/), leaking);
    });
  }

  /** The statement that keeps has a mark of its own. It is in view where no panel covers it, or the cursor is there. */
  async function untilKeeperBright(): Promise<void> {
    await eventually(async () => {
      assert.match(
        (await lensTexts()).join('\n'),
        new RegExp(`^${keeping} ◆ keeps [\\d.]+ [KM]iB of (\\d lines|\\w+\\.py:\\d+)$`, 'm'),
      );
      assert.deepEqual(await workbench.editor.gutterLines(/gutter(?:%2F|\/)keeper-/), [keeping]);
    });
  }

  async function untilDim(): Promise<void> {
    await eventually(async () => {
      const texts = await lensTexts();
      for (const line of leaking) {
        assert.ok(
          texts.some((text) => text.startsWith(`${line} `) && /leaked.*before your edit/.test(text)),
          texts.join('\n'),
        );
      }
      assert.match(texts.join('\n'), new RegExp(`^${keeping} ◆ keeps .* · before your edit$`, 'm'));
      assert.ok(!texts.some((text) => text.endsWith('Fix…')), texts.join());
      assert.deepEqual(await workbench.editor.gutterLines(/gutter(?:%2F|\/)stale-/), [...leaking, keeping]);
      assert.deepEqual(await workbench.editor.gutterLines(/gutter(?:%2F|\/)leak-/), []);
    });
  }

  it('takes the lines that it fixes out of the number on the icon, and undo brings them back', async () => {
    const untilRows = async (text: RegExp, badge: string | null): Promise<void> => {
      await workbench.sideBar.tree('Leaks').untilRows(text, 4);
      await eventually(async () => {
        assert.equal(await workbench.sideBar.badge(), badge);
      });
    };
    await workbench.openFile('train.py');
    await untilBright();
    await workbench.runCommand('Leakline: Show Leaks');
    await untilRows(/^(?!.*edited since).* leaked/, '4');
    await workbench.editor.clickLens('Fix…');
    await untilRows(/edited since · .* leaked/, null);
    await workbench.settle();
    await workbench.screenshot('fix-rows');
    await workbench.openFile('train.py', keeping);
    await workbench.page.keyboard.press('ControlOrMeta+Z');
    await untilRows(/^(?!.*edited since).* leaked/, '4');
  });

  it('is made by its lens exactly so, dims the marks of what it fixes, and undo takes all of it back', async () => {
    await workbench.openFile('train.py');
    await untilBright();
    await workbench.settle();
    await workbench.screenshot('fix-offered');
    await untilKeeperBright();
    await workbench.editor.clickLens('Fix…');
    await eventually(async () => {
      assert.match(await workbench.editor.lineText(keeping), /append\(aux_loss\.detach\(\)\)/);
    });
    await untilDim();
    assert.equal(readFileSync(join(folder, 'train.py'), 'utf8'), before, 'the file was saved');
    await workbench.runCommand('File: Save');
    await eventually(() => {
      assert.equal(readFileSync(join(folder, 'train.py'), 'utf8'), before.replace(keeps, letsGo));
    });
    const problems = await workbench.showProblems();
    await problems.untilNoRow(/train\.py|leaked/);
    await workbench.settle();
    await workbench.screenshot('fix-made');
    await workbench.openFile('train.py', keeping);
    await workbench.page.keyboard.press('ControlOrMeta+Z');
    await untilBright();
    await workbench.runCommand('File: Save');
    await eventually(() => {
      assert.equal(readFileSync(join(folder, 'train.py'), 'utf8'), before);
    });
    await workbench.openFile('train.py', keeping);
    await untilKeeperBright();
  });

  it('is offered by the light bulb, in the other file that it fixes too', async () => {
    await workbench.openFile('model.py', 14);
    await workbench.editor.untilLens(14, /leaked/);
    await workbench.editor.openFixes(title);
    await workbench.screenshot('fix-light-bulb');
    await workbench.page.keyboard.press('Enter');
    await workbench.editor.untilLens(14, /leaked.*before your edit/);
    await workbench.openFile('train.py');
    await untilDim();
    await eventually(async () => {
      assert.match(await workbench.editor.lineText(keeping), /append\(aux_loss\.detach\(\)\)/);
    });
  });

  it('is not made in a file that says something else now, and that is said', async () => {
    await workbench.openFile('model.py');
    await workbench.editor.untilLens(14, /Fix…/);
    const changed = before.replace(keeps, "history['aux'].append(float(aux_loss))");
    writeFileSync(join(folder, 'train.py'), changed);
    await workbench.editor.clickLens('Fix…');
    await workbench.notifications.toast(/train\.py has changed since the snapshots/).waitFor();
    await workbench.screenshot('fix-refused');
    assert.equal(readFileSync(join(folder, 'train.py'), 'utf8'), changed);
  });
});
