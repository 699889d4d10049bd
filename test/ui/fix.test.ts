import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../support/eventually.js';
import { repositoryRoot } from '../support/repository.js';
import { newFolder } from '../support/workspaces.js';
import { uiSession } from './support/fixture.js';
import type { Workbench } from './workbench/workbench.js';

const planted = join(repositoryRoot(), 'test/fixtures/planted');
const holds = "history['aux'].append(aux_loss)";
const releases = "history['aux'].append(aux_loss.detach())";
const title = 'Fix: Detach aux_loss from its graph…';
/** The lines of the file that allocate, and the one that holds what they allocate. */
const leaking = [12, 20];
const holding = 27;

/** A program that holds a graph, with its snapshots and without what the recorder saw: only the source tells. */
function program(): string {
  const folder = newFolder('aux_loss');
  for (const name of ['train.py', 'model.py']) {
    cpSync(join(planted, 'corpus/aux_loss', name), join(folder, name));
  }
  mkdirSync(join(folder, 'snapshots'));
  const recordings = join(planted, 'recordings/aux_loss');
  for (const name of readdirSync(recordings).filter((one) => one.endsWith('.pickle.gz'))) {
    cpSync(join(recordings, name), join(folder, 'snapshots', name));
  }
  return folder;
}

describe('A fix', () => {
  const ui = uiSession();
  let folder: string;
  let workbench: Workbench;
  let before: string;

  ui.prepare(async () => {
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
          texts.some((text) => text.startsWith(`${line} `) && /▲ Leaks(?!.*before your edit)/.test(text)),
          texts.join(),
        );
        assert.ok(texts.includes(`${line} Fix…`), texts.join('\n'));
      }
      assert.deepEqual(await workbench.editor.gutterLines(/gutter(?:%2F|\/)leak-/), leaking);
    });
  }

  /** The statement that holds has a mark of its own. It is in view where no panel covers it, or the cursor is there. */
  async function untilHolderBright(): Promise<void> {
    await eventually(async () => {
      assert.match(
        (await lensTexts()).join('\n'),
        new RegExp(`^${holding} ◆ Leaks [\\d.]+ KiB/step \\([\\d.]+ [KM]iB so far\\)$`, 'm'),
      );
      assert.deepEqual(await workbench.editor.gutterLines(/gutter(?:%2F|\/)holder-/), [holding]);
    });
  }

  async function untilDim(): Promise<void> {
    await eventually(async () => {
      const texts = await lensTexts();
      for (const line of leaking) {
        assert.ok(
          texts.some((text) => text.startsWith(`${line} `) && /▲ Leaks.*before your edit/.test(text)),
          texts.join('\n'),
        );
      }
      assert.match(texts.join('\n'), new RegExp(`^${holding} ◆ Leaks .* · before your edit$`, 'm'));
      assert.ok(!texts.some((text) => text.endsWith('Fix…')), texts.join());
      assert.deepEqual(await workbench.editor.gutterLines(/gutter(?:%2F|\/)stale-/), [...leaking, holding]);
      assert.deepEqual(await workbench.editor.gutterLines(/gutter(?:%2F|\/)leak-/), []);
    });
  }

  async function undo(): Promise<void> {
    await workbench.openFile('train.py', holding);
    await workbench.page.keyboard.press('ControlOrMeta+Z');
  }

  /** Looks at the change, and makes it. */
  async function makeFix(): Promise<void> {
    await workbench.editor.clickLens('Fix…');
    await workbench.page.locator('.monaco-diff-editor').waitFor();
    assert.equal(readFileSync(join(folder, 'train.py'), 'utf8'), before, 'it is shown before it is made');
    await workbench.editor.pressAction('Apply Fix');
    await workbench.editor.untilActive('train.py');
    await eventually(async () => {
      assert.match(await workbench.editor.lineText(holding), /append\(aux_loss\.detach\(\)\)/);
    });
  }

  it('is counted as one leak in view, badge, status bar and problems, and as none once it is made', async () => {
    const until = async (badge: string | null, status: RegExp): Promise<void> => {
      await eventually(async () => {
        assert.equal(await workbench.sideBar.badge(), badge);
        assert.match(await workbench.statusBarItem('Leakline').innerText(), status);
      });
    };
    await workbench.openFile('train.py');
    await untilBright();
    await workbench.runCommand('Leakline: Show Leaks');
    const leaks = workbench.sideBar.tree('Leaks');
    await leaks.untilRow(/^[\d.]+ KiB\/step ?train\.py:27 · history\['aux'\]/);
    assert.equal((await leaks.rows()).filter(({ level }) => level === 1).length, 1);
    await leaks.untilRows(/^[\d.]+ [KM]iB(\/step)? ?(train|model)\.py:\d+$/, 4);
    await until('1', /Leakline: 1 leak · [\d.]+ KiB\/step/);
    const problems = await workbench.showProblems();
    await problems.untilRow(/Leaks .* held by history\['aux'\]/);
    assert.equal((await problems.rows()).filter((text) => text.includes('Leaks ')).length, 1);
    await workbench.runCommand('View: Toggle Panel Visibility');
    await workbench.openFile('train.py');
    await makeFix();
    await leaks.untilRow(/before your edit · train\.py:27/);
    await until(null, /Leakline: record again/);
    await workbench.picture('fix-rows');
    await undo();
    await until('1', /Leakline: 1 leak/);
  });

  it('is made by its lens exactly so, dims the marks of what it fixes, and undo takes all of it back', async () => {
    await workbench.openFile('train.py');
    await untilBright();
    await workbench.picture('fix-offered');
    await untilHolderBright();
    await makeFix();
    await untilDim();
    assert.equal(readFileSync(join(folder, 'train.py'), 'utf8'), before, 'the file was saved');
    await workbench.runCommand('File: Save');
    await eventually(() => {
      assert.equal(readFileSync(join(folder, 'train.py'), 'utf8'), before.replace(holds, releases));
    });
    const problems = await workbench.showProblems();
    await problems.untilNoRow(/train\.py|Leaks/);
    await workbench.picture('fix-made');
    await workbench.runCommand('View: Toggle Panel Visibility');
    await undo();
    await untilBright();
    await workbench.runCommand('File: Save');
    await eventually(() => {
      assert.equal(readFileSync(join(folder, 'train.py'), 'utf8'), before);
    });
    await workbench.openFile('train.py', holding);
    await untilHolderBright();
  });

  for (const [what, file, line] of [
    ['the statement that holds the memory', 'train.py', holding],
    ['a line that allocates it, in the other file', 'model.py', 14],
  ] as const) {
    it(`is offered by the light bulb on ${what}, and shown before it is made`, async () => {
      await workbench.openFile(file, line);
      await workbench.editor.untilLens(line, /Leaks/);
      await workbench.editor.openFixes(title);
      const leadsToIt = workbench.page.locator('.action-widget', {
        hasText: 'Go to the statement that holds the memory',
      });
      assert.equal((await leadsToIt.count()) > 0, line !== holding, 'on the statement itself nothing leads to it');
      await workbench.picture(`fix-light-bulb-${line}`);
      await workbench.page.keyboard.press('Enter');
      await workbench.page.locator('.monaco-diff-editor', { hasText: 'aux_loss.detach()' }).waitFor();
      await workbench.picture(`fix-preview-${line}`);
      await workbench.editor.pressAction('Apply Fix');
      await untilDim();
      await eventually(async () => {
        assert.match(await workbench.editor.lineText(holding), /append\(aux_loss\.detach\(\)\)/);
      });
      await undo();
      await untilBright();
    });
  }

  it('is no longer offered after its closed file has changed', async () => {
    await workbench.runCommand('View: Close All Editors');
    await workbench.openFile('model.py');
    await workbench.editor.untilLens(14, /Fix…/);
    const changed = before.replace(holds, "history['aux'].append(float(aux_loss))");
    writeFileSync(join(folder, 'train.py'), changed);
    await eventually(async () => {
      const texts = await lensTexts();
      assert.ok(texts.includes('14 Show on timeline'), texts.join());
      assert.ok(!texts.some((text) => text.endsWith('Fix…')), texts.join());
    });
    await workbench.picture('fix-gone');
  });
});
