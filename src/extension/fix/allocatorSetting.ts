/** Puts a setting of the allocator where a program gets its environment from, unsaved and beside what is saved. */
import { modify, parseTree, getNodeValue } from 'jsonc-parser/lib/esm/main.js';
import * as v from 'valibot';
import * as vscode from 'vscode';

/** A file that sets the environment of programs. */
interface Target extends vscode.QuickPickItem {
  /** Null for a new one. */
  readonly document: vscode.TextDocument | null;
  readonly uri: vscode.Uri;
  readonly edits: vscode.TextEdit[];
}

/** The value of an environment variable. */
interface Assignment {
  readonly name: string;
  /** The value, as a `.env` file writes it. */
  readonly quoted: string;
  readonly value: string;
}

/** Types of debug configurations that run Python. */
const PYTHON_DEBUGGERS = new Set(['debugpy', 'python']);
/** Types of tasks with an environment of their own. */
const TASKS_WITH_ENVIRONMENT = new Set(['shell', 'process']);

/**
 * Asks for a file, and opens a comparison of the saved file with the change. Saving it is the user's.
 * @param text such as `PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True`
 * @throws Error with one sentence, without an open folder
 */
export async function applyAllocatorSetting(text: string): Promise<void> {
  const at = text.indexOf('=');
  const quoted = text.slice(at + 1);
  const assignment = { name: text.slice(0, at), quoted, value: quoted.replace(/^"(.*)"$/, '$1') };
  const folders = vscode.workspace.workspaceFolders ?? [];
  if (folders.length === 0) throw new Error(vscode.l10n.t('No folder is open: copy the setting instead.'));
  const targets = await Promise.all(folders.map((folder) => targetsIn(folder, assignment, folders.length > 1)));
  const chosen = await vscode.window.showQuickPick(targets.flat(), {
    title: vscode.l10n.t('Set {0}', text),
    placeHolder: vscode.l10n.t('Where the program gets its environment from'),
  });
  if (chosen === undefined) return;
  const { document, uri, edits } = chosen;
  const shown = document ?? (await vscode.workspace.openTextDocument(uri.with({ scheme: 'untitled' })));
  const edit = new vscode.WorkspaceEdit();
  edit.set(shown.uri, edits);
  if (!(await vscode.workspace.applyEdit(edit))) throw new Error(vscode.l10n.t('The setting could not be applied.'));
  await vscode.window.showTextDocument(shown);
  if (document !== null) await vscode.commands.executeCommand('workbench.files.action.compareWithSaved');
}

async function targetsIn(
  folder: vscode.WorkspaceFolder,
  assignment: Assignment,
  namesFolder: boolean,
): Promise<Target[]> {
  const environment = await environmentFile(vscode.Uri.joinPath(folder.uri, '.env'), assignment);
  const configured = await Promise.all([
    inJson(vscode.Uri.joinPath(folder.uri, '.vscode/launch.json'), 'configurations', ['env'], assignment),
    inJson(vscode.Uri.joinPath(folder.uri, '.vscode/tasks.json'), 'tasks', ['options', 'env'], assignment),
  ]);
  return [environment, ...configured.flat()].map((target) => ({
    ...target,
    ...(namesFolder && { detail: folder.name }),
  }));
}

/** The `.env` file, which the Python extension reads. */
async function environmentFile(uri: vscode.Uri, { name, quoted }: Assignment): Promise<Target> {
  const document = await openIfThere(uri);
  const line = `${name}=${quoted}`;
  const label = '.env';
  const start = new vscode.Position(0, 0);
  if (document === null) {
    const description = vscode.l10n.t('New file');
    return { label, description, document, uri, edits: [vscode.TextEdit.insert(start, `${line}\n`)] };
  }
  for (let i = 0; i < document.lineCount; i++) {
    const { text, range } = document.lineAt(i);
    const [before] = new RegExp(`^\\s*(?:export\\s+)?(?=${name}\\s*=)`).exec(text) ?? [];
    if (before !== undefined)
      return { label, document, uri, edits: [vscode.TextEdit.replace(range, `${before}${line}`)] };
  }
  const { text, range } = document.lineAt(document.lineCount - 1);
  return { label, document, uri, edits: [vscode.TextEdit.insert(range.end, `${text === '' ? '' : '\n'}${line}\n`)] };
}

const configuration = v.object({
  type: v.string(),
  name: v.optional(v.string()),
  label: v.optional(v.string()),
});

/** The configurations that run programs in `launch.json` or `tasks.json`. */
async function inJson(
  uri: vscode.Uri,
  list: string,
  place: readonly string[],
  { name, value }: Assignment,
): Promise<Target[]> {
  const document = await openIfThere(uri);
  const tree = document === null ? undefined : parseTree(document.getText());
  if (document === null || tree === undefined) return [];
  const root: unknown = getNodeValue(tree);
  const found = v.safeParse(v.object({ [list]: v.array(v.unknown()) }), root);
  if (!found.success) return [];
  const file = uri.path.slice(uri.path.lastIndexOf('/') + 1);
  return found.output[list].flatMap((one, i) => {
    const { success, output } = v.safeParse(configuration, one);
    if (!success || !(PYTHON_DEBUGGERS.has(output.type) || TASKS_WITH_ENVIRONMENT.has(output.type))) return [];
    const formattingOptions = { insertSpaces: true, tabSize: 2, eol: '\n' };
    const edits = modify(document.getText(), [list, i, ...place, name], value, { formattingOptions });
    return {
      label: `${file}: ${output.name ?? output.label ?? output.type}`,
      document,
      uri,
      edits: edits.map(({ offset, length, content }) => {
        const range = new vscode.Range(document.positionAt(offset), document.positionAt(offset + length));
        return vscode.TextEdit.replace(range, content);
      }),
    };
  });
}

async function openIfThere(uri: vscode.Uri): Promise<vscode.TextDocument | null> {
  try {
    await vscode.workspace.fs.stat(uri);
  } catch {
    return null;
  }
  return vscode.workspace.openTextDocument(uri);
}
