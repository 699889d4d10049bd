import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import * as vscode from 'vscode';
import type { LeaklineApi } from '../../src/extension/api.js';
import { eventually } from '../support/eventually.js';
import { repositoryRoot } from '../support/repository.js';
import { inWorkspace, leakline } from './extension.js';
import { byteLenses, expectedLeaks, untilLensesShow } from './lenses.js';

const source = inWorkspace('detector/pyramid.py');
const uri = vscode.Uri.file(source);
const snapshots = inWorkspace('snapshots');
const recorded = join(repositoryRoot(), 'examples/detector/snapshots');

async function untilLens(line: number, text: RegExp): Promise<void> {
  await eventually(async () => {
    const lenses = (await byteLenses()).filter(({ file }) => file === 'detector/pyramid.py');
    assert.equal(lenses.length, 1);
    assert.equal(lenses[0].line, line, lenses[0].text);
    assert.match(lenses[0].text, text);
  });
}

/** Replaces the text on the disk as another program would: a checkout, or a colleague's script. */
async function write(text: string): Promise<void> {
  writeFileSync(source, text);
  await eventually(async () => {
    assert.equal((await vscode.workspace.openTextDocument(uri)).getText(), text);
  });
}

/** @param line 1-based */
async function hoverOf(file: vscode.Uri, line: number): Promise<string> {
  const at = new vscode.Position(line - 1, 10);
  const hovers = await vscode.commands.executeCommand<vscode.Hover[]>('vscode.executeHoverProvider', file, at);
  return hovers.flatMap(({ contents }) => contents.map((part) => (part as vscode.MarkdownString).value)).join();
}

interface Sources {
  sources: { path: string; sha256: string }[];
}

function sidecarPaths(): string[] {
  const pickles = readdirSync(snapshots).filter((name) => name.endsWith('.pickle'));
  return pickles.map((name) => join(snapshots, name.replace(/\.pickle$/, '.leakline.json')));
}

/** Puts beside each snapshot of the example what the recorder wrote of the same program, without owners. */
function writeSidecars(git: { root: string; commit: string } | null): Sources {
  const sidecar = join(repositoryRoot(), 'test/fixtures/planted/recordings/detector/rank0_step000020.leakline.json');
  const template = JSON.parse(readFileSync(sidecar, 'utf8').replaceAll('/planted/detector', '/detector')) as Sources;
  // The recording is of an older text of the example.
  for (const one of template.sources) {
    const text = readFileSync(join(repositoryRoot(), 'examples/detector', one.path.replace('/home/ml/detector/', '')));
    one.sha256 = createHash('sha256').update(text).digest('hex');
  }
  for (const path of sidecarPaths()) {
    const snapshot = basename(path).replace(/\.leakline\.json$/, '.pickle');
    const step = Number(/\d+/.exec(snapshot)?.[0]);
    const own = { snapshot, step, stepTimes: null, holders: null, git };
    writeFileSync(path, JSON.stringify({ ...template, ...own }));
  }
  return template;
}

describe('A file of a different version from the one that ran', () => {
  let text: string;
  const added: string[] = [];

  before(async () => {
    await untilLensesShow(expectedLeaks());
    text = readFileSync(source, 'utf8');
    // As many steps as name a leak without the source that ran.
    for (const name of readdirSync(recorded)) {
      if (existsSync(join(snapshots, name))) continue;
      added.push(join(snapshots, name));
      copyFileSync(join(recorded, name), join(snapshots, name));
    }
  });

  after(async () => {
    for (const path of [...sidecarPaths(), ...added]) rmSync(path, { force: true });
    await write(text);
    utimesSync(source, new Date(0), new Date(0));
    await vscode.commands.executeCommand('leakline.readAgain');
    await untilLensesShow(expectedLeaks());
  });

  it('keeps the mark on its line, which the source proved, and has it back with the text', async () => {
    // The source that ran proves the leak; from then on it is a leak of a text that is another one now.
    const { sources } = writeSidecars(null);
    const sha256 = createHash('sha256').update(text).digest('hex');
    assert.equal(sources.find(({ path }) => path.endsWith('/detector/pyramid.py'))?.sha256, sha256);
    await vscode.commands.executeCommand('leakline.readAgain');
    await untilLens(16, /so far\)$/);
    await write(text.replace('import torch', 'import torch\nimport torch'));
    await vscode.commands.executeCommand('leakline.readAgain');
    await vscode.window.showTextDocument(uri);
    // The mark follows its line, whose text has not changed.
    await untilLens(17, /(?:so far\)|different version)$/);
    await write(text);
    await untilLens(16, /so far\)$/);
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
      writeSidecars({ root: inWorkspace(), commit });
      await vscode.commands.executeCommand('git.openRepository', inWorkspace());
      await vscode.commands.executeCommand('workbench.action.closeAllEditors');
      writeFileSync(source, `# one more line\n${text}`);
      await vscode.commands.executeCommand('leakline.readAgain');
      await vscode.window.showTextDocument(uri);
      await untilLens(17, /so far\)$/);
    } finally {
      // The repository stays: the git extension would not survive that it goes.
      await write(text);
    }
  });

  it('is named where it was renamed, and the line that calls it is not accused', async () => {
    const caller = vscode.Uri.file(inWorkspace('train.py'));
    const problems = (): string[] => vscode.languages.getDiagnostics(caller).map(({ message }) => message);
    const renamed = inWorkspace('detector/fpn.py');
    for (const path of sidecarPaths()) rmSync(path, { force: true });
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    // Two snapshots are never enough to call a leak: what grows is shown as growth.
    const later = readdirSync(snapshots).filter((name) => !/step_00(?:05|10)/.test(name));
    for (const name of later) rmSync(join(snapshots, name));
    renameSync(source, renamed);
    try {
      await eventually(async () => {
        const lens = (await byteLenses()).find(({ file, line }) => file === 'train.py' && line === 22);
        assert.match(lens?.text ?? 'no lens', /^▫ Grows .* · in pyramid\.py:16, not found$/);
      });
      assert.deepEqual(problems(), []);
      const told = await hoverOf(caller, 22);
      assert.match(told, /line 16 .*a file that was not found in this workspace.*this line only calls it/);
    } finally {
      renameSync(renamed, source);
      for (const name of later) copyFileSync(join(recorded, name), join(snapshots, name));
    }
    await untilLens(16, /so far\)$/);
  });

  it('is known from a sidecar that is newer than its snapshots, until it is removed', async () => {
    const api = (await leakline().activate()) as LeaklineApi;
    const untilHover = (told: boolean): Promise<void> =>
      eventually(() => {
        assert.equal(
          api.report()?.runs.some(({ sources }) => sources !== null),
          told,
        );
      });
    for (const path of sidecarPaths()) rmSync(path, { force: true });
    await untilHover(false);
    writeSidecars(null);
    await untilHover(true);
  });
});
