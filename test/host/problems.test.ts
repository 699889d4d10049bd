import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import * as vscode from 'vscode';
import type { LineReport } from '../../src/core/report/report.js';
import { runCli } from '../support/cli.js';
import { eventually } from '../support/eventually.js';
import { inWorkspace } from './extension.js';
import { byteLenses, expectedLeaks, untilLensesShow } from './lenses.js';

const setting = (): vscode.WorkspaceConfiguration => vscode.workspace.getConfiguration('leakline.problems', null);
const uriOf = ({ file }: LineReport): vscode.Uri => vscode.Uri.file(inWorkspace(file));

interface Problem {
  line: number;
  problem: vscode.Diagnostic;
}

function problemsOf(uri: vscode.Uri): Problem[] {
  return vscode.languages
    .getDiagnostics(uri)
    .filter(({ source, severity }) => source === 'Leakline' && severity !== vscode.DiagnosticSeverity.Hint)
    .map((problem) => ({ line: problem.range.start.line + 1, problem }));
}

async function untilProblems(uri: vscode.Uri, lines: readonly number[]): Promise<Problem[]> {
  return eventually(() => {
    const found = problemsOf(uri);
    assert.deepEqual(
      found.map(({ line }) => line),
      lines,
    );
    return found;
  });
}

describe('Problems', () => {
  let leak: LineReport;
  let holdingLine: number;
  let document: vscode.TextDocument;

  before(async () => {
    await untilLensesShow(expectedLeaks());
    [leak] = expectedLeaks();
    assert.ok(leak.holder?.file === leak.file, 'the example has its holder in the file that allocates');
    holdingLine = leak.holder.line;
    document = await vscode.workspace.openTextDocument(uriOf(leak));
    await vscode.window.showTextDocument(document);
  });

  it('are one per finding, on the statement that holds, and lead to the lines that allocate', async () => {
    const [{ problem }] = await untilProblems(uriOf(leak), [holdingLine]);
    assert.match(problem.message, /^Leaks [\d.]+ MiB\/step \([\d.]+ [MG]iB so far\), held by FeaturePyramid\.visited$/);
    assert.equal(problem.code, 'leak');
    assert.equal(problem.severity, vscode.DiagnosticSeverity.Warning);
    const places = (problem.relatedInformation ?? []).map(
      ({ location }) => `${vscode.workspace.asRelativePath(location.uri)}:${location.range.start.line + 1}`,
    );
    assert.deepEqual(places, [`${leak.file}:${leak.line}`]);
  });

  it('have the severity of the setting, and are absent with off', async () => {
    try {
      await setting().update('severity', 'information', vscode.ConfigurationTarget.Workspace);
      await eventually(() => {
        const [{ problem }] = problemsOf(uriOf(leak));
        assert.equal(problem.severity, vscode.DiagnosticSeverity.Information);
      });
      await setting().update('severity', 'off', vscode.ConfigurationTarget.Workspace);
      await untilProblems(uriOf(leak), []);
    } finally {
      await setting().update('severity', undefined, vscode.ConfigurationTarget.Workspace);
    }
    await untilProblems(uriOf(leak), [holdingLine]);
  });

  it('move with their line, go when it is edited, and come back with undo', async () => {
    const edit = async (change: (edit: vscode.WorkspaceEdit) => void): Promise<void> => {
      const workspaceEdit = new vscode.WorkspaceEdit();
      change(workspaceEdit);
      assert.ok(await vscode.workspace.applyEdit(workspaceEdit));
    };
    await untilProblems(uriOf(leak), [holdingLine]);
    try {
      await edit((change) => {
        change.insert(uriOf(leak), new vscode.Position(0, 0), '# one more line\n');
      });
      await untilProblems(uriOf(leak), [holdingLine + 1]);
      await edit((change) => {
        change.insert(uriOf(leak), document.lineAt(holdingLine).range.end, '  # edited');
      });
      await untilProblems(uriOf(leak), []);
      await vscode.commands.executeCommand('undo');
      await untilProblems(uriOf(leak), [holdingLine + 1]);
    } finally {
      await vscode.commands.executeCommand('workbench.action.files.revert');
    }
    await untilProblems(uriOf(leak), [holdingLine]);
  });
});

describe('A leak that the workspace ignores', () => {
  const ignoreFile = inWorkspace('.leakline.json');
  let leak: LineReport;

  before(async () => {
    await untilLensesShow(expectedLeaks());
    [leak] = expectedLeaks();
    await vscode.window.showTextDocument(uriOf(leak));
  });

  afterEach(async () => {
    rmSync(ignoreFile, { force: true });
    await untilLensesShow(expectedLeaks());
  });

  /** Runs the action that the light bulb offers on the leaking line. */
  async function runAction(title: RegExp): Promise<void> {
    const at = new vscode.Range(leak.line - 1, 0, leak.line - 1, 0);
    const actions = await vscode.commands.executeCommand<vscode.CodeAction[]>(
      'vscode.executeCodeActionProvider',
      uriOf(leak),
      at,
      vscode.CodeActionKind.QuickFix.value,
    );
    const action = actions.find((one) => title.test(one.title));
    assert.ok(action?.command !== undefined, `offered: ${actions.map((one) => one.title).join(', ')}`);
    await vscode.commands.executeCommand(action.command.command, ...((action.command.arguments ?? []) as unknown[]));
  }

  async function untilSilent(): Promise<void> {
    await eventually(async () => {
      assert.deepEqual(await byteLenses(), []);
      assert.deepEqual(problemsOf(uriOf(leak)), []);
    });
  }

  it('is silent after one action, and speaks again when its entry is taken out', async () => {
    await runAction(/Ignore this leak/);
    await untilSilent();
    assert.deepEqual(expectedLeaks(), []);
    const { ignoredLeaks } = JSON.parse(readFileSync(ignoreFile, 'utf8')) as { ignoredLeaks: object[] };
    assert.equal(ignoredLeaks.length, 1);
    await vscode.commands.executeCommand('leakline.stopIgnoring', { file: leak.file, line: leak.line });
    await untilLensesShow(expectedLeaks());
    assert.ok(existsSync(ignoreFile));
  });

  it('is silent by a file that a colleague committed, and stays so when its line moves', async () => {
    const source = uriOf(leak).fsPath;
    const text = readFileSync(source, 'utf8');
    const statement = text.split('\n')[leak.line - 1].trim();
    const entry = { file: leak.file, function: leak.function, statement, line: leak.line };
    writeFileSync(ignoreFile, JSON.stringify({ ignoredLeaks: [entry] }));
    await untilSilent();
    writeFileSync(source, `# one more line\n${text}`);
    // Later than the copies of snapshots and sources can be.
    const later = new Date(Date.now() + 3_600_000);
    utimesSync(source, later, later);
    try {
      await vscode.commands.executeCommand('leakline.readAgain');
      await eventually(() => {
        assert.equal(expectedLeaks().length, 0);
      });
      await untilSilent();
    } finally {
      writeFileSync(source, text);
      utimesSync(source, new Date(0), new Date(0));
      await vscode.commands.executeCommand('leakline.readAgain');
    }
  });

  it('is silent by a baseline that the command line wrote, until it is taken out', async () => {
    const written = runCli('baseline', 'write', '--root', inWorkspace('.'), inWorkspace('snapshots'));
    assert.deepEqual([written.status, written.stderr], [0, '']);
    const baseline = (): unknown[] =>
      (JSON.parse(readFileSync(ignoreFile, 'utf8')) as { baseline: unknown[] }).baseline;
    assert.equal(baseline().length, 1);
    await untilSilent();
    await vscode.commands.executeCommand('leakline.stopIgnoring', { file: leak.file, line: leak.line });
    await untilLensesShow(expectedLeaks());
    assert.deepEqual(baseline(), []);
  });

  it('reports an invalid file', async () => {
    writeFileSync(ignoreFile, '{"ignoredLeaks": [{"file": 3}]}');
    await untilLensesShow([leak]);
  });
});
