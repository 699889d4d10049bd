import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import * as vscode from 'vscode';
import type { LeaklineApi } from '../../../src/extension/api.js';
import { eventually } from '../../support/eventually.js';
import { assertLeaked } from '../../support/shownBytes.js';
import { leakline } from '../extension.js';
import { byteLensesOf } from '../lenses.js';
import { truth } from '../truth.js';
import type { RootsTruth } from './workspace.js';

/** A file by the name that reports give it where there are several folders. */
function uriOf(file: string): vscode.Uri {
  const [name, ...rest] = file.split('/');
  const folder = vscode.workspace.workspaceFolders?.find((one) => one.name === name);
  assert.ok(folder !== undefined, `no folder ${name}`);
  return vscode.Uri.joinPath(folder.uri, ...rest);
}

describe('A workspace of several folders, recorded on Windows', () => {
  const leaks = truth() as RootsTruth;
  const trains = ['detector/train.py', 'tracker/train.py'];
  let api: LeaklineApi;

  const untilMarked = async (lines: readonly { file: string; line: number; bytes: number }[]): Promise<void> => {
    const files = new Set([...leaks.mapped.map(({ file }) => file), ...trains]);
    await eventually(async () => {
      for (const file of files) {
        const wanted = lines.filter((line) => line.file === file);
        const lenses = await byteLensesOf(uriOf(file));
        assert.deepEqual(
          lenses.map(({ line }) => line),
          wanted.map(({ line }) => line),
          `${file}: ${lenses.map(({ text }) => text).join()}`,
        );
        wanted.forEach(({ bytes }, i) => {
          assertLeaked(lenses[i].text, bytes);
        });
      }
    });
  };

  before(async () => {
    api = (await leakline().activate()) as LeaklineApi;
  });

  it('has its marks in the right file of the right folder, whatever the letter case, a share or a drive', async () => {
    await untilMarked(leaks.mapped);
  });

  it('distinguishes folders of one name by their parents, and marks the one that ran', async () => {
    const { file, line, bytes } = leaks.twin;
    const [north, south] = ['north', 'south'].map((name) => {
      const folder = vscode.workspace.workspaceFolders?.find(({ uri }) => uri.path.endsWith(`${name}/app`));
      assert.ok(folder?.name === 'app', name);
      return vscode.Uri.joinPath(folder.uri, 'loop.py');
    });
    await eventually(async () => {
      const [lens] = await byteLensesOf(south);
      assert.equal(lens.line, line);
      assertLeaked(lens.text, bytes);
    });
    assert.deepEqual(await byteLensesOf(north), []);
    const found = api.report()?.runs.flatMap(({ lines }) => lines.filter((one) => one.mapped)) ?? [];
    assert.deepEqual(
      found.filter((one) => one.file.endsWith('loop.py')).map((one) => [one.file, one.line]),
      [[file, line]],
    );
  });

  it('leaves open which file it is where two folders have one that fits', async () => {
    await untilMarked(leaks.mapped);
    await eventually(() => {
      const lines = api.report()?.runs.flatMap((run) => run.lines) ?? [];
      const line = lines.find(({ file }) => file === leaks.open.recorded);
      assert.deepEqual([line?.mapped, line?.verdict, line?.liveBytes], [false, 'growing', leaks.open.bytes]);
    });
  });

  it('is mapped once, in the settings of the workspace, and marked there', async () => {
    const recorded = leaks.open.recorded.slice(0, leaks.open.recorded.lastIndexOf('\\'));
    const settings = vscode.workspace.getConfiguration('leakline', null);
    await settings.update('paths.map', { [recorded]: 'tracker' }, vscode.ConfigurationTarget.Workspace);
    try {
      await untilMarked([...leaks.mapped, { file: 'tracker/train.py', line: 5, bytes: leaks.open.bytes }]);
      const file = vscode.workspace.workspaceFile?.fsPath;
      assert.ok(file !== undefined);
      assert.match(readFileSync(file, 'utf8'), /leakline\.paths\.map/);
    } finally {
      await settings.update('paths.map', undefined, vscode.ConfigurationTarget.Workspace);
    }
    await untilMarked(leaks.mapped);
  });

  it('works after a folder is removed', async () => {
    assert.ok(vscode.workspace.updateWorkspaceFolders(1, 3));
    await eventually(() => {
      assert.equal(vscode.workspace.workspaceFolders?.length, 1);
    });
    await eventually(async () => {
      // The only folder of a workspace file: reports name its files without its name, or with it; the mark is there.
      assert.equal((await byteLensesOf(uriOf('detector/models/net.py'))).length, 1);
      assert.equal(api.report()?.runs.length, 1);
    });
  });
});
