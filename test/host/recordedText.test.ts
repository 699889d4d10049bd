import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, readdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { eventually } from '../support/eventually.js';
import { repositoryRoot } from '../support/repository.js';
import { inWorkspace } from './extension.js';
import { byteLenses, expectedLeaks, untilLensesShow } from './lenses.js';

const source = inWorkspace('detector/pyramid.py');
const uri = vscode.Uri.file(source);
const recordings = inWorkspace('leakline-recordings');

async function untilLens(line: number, text: RegExp): Promise<void> {
  await eventually(
    async () => {
      const lenses = (await byteLenses()).filter(({ file }) => file === 'detector/pyramid.py');
      assert.equal(lenses.length, 1);
      assert.equal(lenses[0].line, line, lenses[0].text);
      assert.match(lenses[0].text, text);
    },
    { timeoutMs: 30_000 },
  );
}

/** Replaces the text on the disk as another program would: a checkout, or a colleague's script. */
async function write(text: string): Promise<void> {
  writeFileSync(source, text);
  await eventually(async () => {
    assert.equal((await vscode.workspace.openTextDocument(uri)).getText(), text);
  });
}

describe('A file that is another version than the one that ran', () => {
  let text: string;
  let aside: string;

  before(async () => {
    await untilLensesShow(expectedLeaks());
    text = readFileSync(source, 'utf8');
    // Only the recorder's snapshots are to speak here: they carry hashes of the sources.
    aside = inWorkspace('..', 'snapshots-aside');
    renameSync(inWorkspace('snapshots'), aside);
    cpSync(join(repositoryRoot(), 'test/fixtures/planted/recordings/detector'), recordings, { recursive: true });
    const sha256 = createHash('sha256').update(text).digest('hex');
    const [sidecar] = readdirSync(recordings).filter((name) => name.endsWith('.leakline.json'));
    const { sources } = JSON.parse(readFileSync(join(recordings, sidecar), 'utf8')) as {
      sources: { path: string; sha256: string }[];
    };
    assert.equal(sources.find(({ path }) => path.endsWith('/detector/pyramid.py'))?.sha256, sha256);
  });

  after(async () => {
    rmSync(recordings, { recursive: true, force: true });
    renameSync(aside, inWorkspace('snapshots'));
    await write(text);
    utimesSync(source, new Date(0), new Date(0));
    await vscode.commands.executeCommand('leakline.readAgain');
    await untilLensesShow(expectedLeaks());
  });

  it('has dim marks that say so, and true ones again when the text is back', async () => {
    // Nobody has seen the text that ran in this window: from here on, what is on the disk is another one.
    await write(text.replace('import torch', 'import torch\nimport torch'));
    await vscode.commands.executeCommand('leakline.readAgain');
    await vscode.window.showTextDocument(uri);
    await untilLens(16, /of another version$/);
    const hovers = await vscode.commands.executeCommand<vscode.Hover[]>(
      'vscode.executeHoverProvider',
      uri,
      new vscode.Position(15, 10),
    );
    const told = hovers.flatMap(({ contents }) => contents.map((part) => (part as vscode.MarkdownString).value)).join();
    assert.match(told, /differs from the one that ran/);
    await write(text);
    await untilLens(16, /blocks$/);
  });

  it('has marks on the right lines where git has the text that ran', async () => {
    const git = (...args: string[]): string =>
      execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], {
        cwd: inWorkspace(),
        encoding: 'utf8',
      });
    git('init', '--quiet');
    try {
      git('add', 'detector');
      git('commit', '--quiet', '-m', 'as it ran');
      const commit = git('rev-parse', 'HEAD').trim();
      for (const name of readdirSync(recordings).filter((one) => one.endsWith('.leakline.json'))) {
        const path = join(recordings, name);
        const sidecar = JSON.parse(readFileSync(path, 'utf8')) as object;
        writeFileSync(path, JSON.stringify({ ...sidecar, git: { root: inWorkspace(), commit } }));
      }
      await vscode.commands.executeCommand('git.openRepository', inWorkspace());
      await vscode.commands.executeCommand('workbench.action.closeAllEditors');
      writeFileSync(source, `# one more line\n${text}`);
      await vscode.commands.executeCommand('leakline.readAgain');
      await vscode.window.showTextDocument(uri);
      await untilLens(17, /blocks$/);
    } finally {
      // The repository stays: the git extension would not survive that it goes.
      await write(text);
    }
  });
});
