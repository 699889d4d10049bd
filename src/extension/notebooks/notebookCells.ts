import * as vscode from 'vscode';
import type { PathRule } from '../../core/attribution/paths/pathMapping.js';
import { getOrAdd } from '../../core/maps.js';
import { Listener } from '../disposer.js';
import { SKIPPED_FOLDERS_GLOB } from '../watch/globPattern.js';
import { reportPath } from '../workspace/reportPaths.js';
import { cellKeys, recordedCellKey, storedCells } from './cellNames.js';

export const CELL_SCHEME = 'vscode-notebook-cell';

/** Maximum number of notebooks to search, and their maximum size. */
const MAX_NOTEBOOKS = 500;
const MAX_BYTES = 32 << 20;
/** Changes are gathered for this long, in milliseconds. */
const GATHER_MS = 300;

/** A cell that ran, by the name that reports give it. */
interface Match {
  readonly uri: vscode.Uri;
  readonly name: string;
  /** The text that ran; null if the name does not identify it. */
  readonly text: string | null;
}

/**
 * Maps recorded code to notebook cells by their text, also in closed notebooks. A mapped cell stays mapped during
 * edits.
 */
export class NotebookCells extends Listener {
  /** Names of cells in reports. */
  private readonly recorded = new Set<string>();
  private matches = new Map<string, Match>();
  /** Names by URI of the cell. */
  private names = new Map<string, string>();
  private uris = new Map<string, vscode.Uri>();
  /** Keys of the cells of notebooks on the disk, until they change. */
  private readonly stored = new Map<string, Promise<ReadonlySet<string>>>();
  /** Names that no notebook on disk has, until one of them changes. */
  private readonly absent = new Set<string>();
  private readonly keys = new WeakMap<vscode.TextDocument, { version: number; keys: readonly string[] }>();
  private readonly changedEmitter = new vscode.EventEmitter<void>();
  private timer: ReturnType<typeof setTimeout> | undefined;

  /** The set of identified cells changed. */
  readonly onDidChange = this.changedEmitter.event;

  constructor() {
    super();
    const watcher = vscode.workspace.createFileSystemWatcher('**/*.ipynb');
    const later = (): void => this.later();
    const onDisk = (uri: vscode.Uri): void => {
      this.stored.delete(uri.toString());
      this.absent.clear();
      later();
    };
    this.subscriptions = [
      { dispose: () => clearTimeout(this.timer) },
      this.changedEmitter,
      watcher,
      watcher.onDidCreate(onDisk),
      watcher.onDidChange(onDisk),
      watcher.onDidDelete(onDisk),
      vscode.workspace.onDidOpenNotebookDocument(later),
      vscode.workspace.onDidChangeNotebookDocument(later),
      vscode.workspace.onDidChangeWorkspaceFolders(() => {
        this.absent.clear();
        later();
      }),
    ];
  }

  /** Searches for the cells that a report could not find. @returns true if a new report would differ */
  async know(unmapped: readonly string[]): Promise<boolean> {
    for (const file of unmapped) if (recordedCellKey(file) !== null) this.recorded.add(file);
    return this.look();
  }

  /** Cells as files that recorded ones are mapped to. */
  get listing(): string[] {
    return [...this.uris.keys()];
  }

  get rules(): PathRule[] {
    return [...this.matches].map(([recorded, { name }]) => ({ recorded, workspace: name }));
  }

  /** Texts of the cells as they ran, by the name that reports give them. */
  get texts(): Record<string, string> {
    return Object.fromEntries(
      [...this.matches.values()].flatMap(({ name, text }) => (text === null ? [] : [[name, text]])),
    );
  }

  /** The name by which reports call a cell, null for other documents. */
  nameOf(uri: vscode.Uri): string | null {
    return this.names.get(uri.toString()) ?? null;
  }

  uri(name: string): vscode.Uri | undefined {
    return this.uris.get(name);
  }

  private later(): void {
    if (this.recorded.size === 0) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      void this.look().then((changed) => {
        if (changed) this.changedEmitter.fire();
      });
    }, GATHER_MS);
  }

  private async look(): Promise<boolean> {
    if (this.recorded.size === 0) return false;
    let matches = this.amongOpen();
    const unknown = [...this.recorded].filter((file) => !matches.has(file) && !this.absent.has(file));
    if (unknown.length > 0) {
      for (const file of unknown) this.absent.add(file);
      if (await this.openThoseWith(unknown)) matches = this.amongOpen();
    }
    const before = JSON.stringify(this.rules);
    this.matches = matches;
    this.names = new Map([...matches.values()].map(({ uri, name }) => [uri.toString(), name]));
    this.uris = new Map([...matches.values()].map(({ uri, name }) => [name, uri]));
    return JSON.stringify(this.rules) !== before;
  }

  /** Cells that were identified before, or by their text. Two cells with the same text are both omitted. */
  private amongOpen(): Map<string, Match> {
    const cells = openCells();
    const present = new Map(cells.map((cell) => [cell.document.uri.toString(), cell]));
    const byKey = new Map<string, vscode.NotebookCell | null>();
    for (const cell of cells) {
      for (const key of this.keysOf(cell.document)) byKey.set(key, byKey.has(key) ? null : cell);
      byKey.set(cell.document.uri.toString(), cell);
    }
    const isOpen = new Set(vscode.workspace.notebookDocuments.map(({ uri }) => uri.path));
    const matches = new Map<string, Match>();
    for (const recorded of this.recorded) {
      const known = this.matches.get(recorded);
      const same = known === undefined ? undefined : present.get(known.uri.toString());
      const cell = same ?? byKey.get(recordedCellKey(recorded) ?? '');
      if (cell != null) {
        // The name is a hash of the text, so this text ran; edits come later.
        const isNamedByText = !recorded.startsWith(`${CELL_SCHEME}:`);
        const text = same === undefined ? (isNamedByText ? cell.document.getText() : null) : (known?.text ?? null);
        matches.set(recorded, { uri: cell.document.uri, name: nameOf(cell), text });
      }
      // VS Code closed a hidden notebook: its cells still exist.
      else if (known !== undefined && !isOpen.has(known.uri.path)) matches.set(recorded, known);
    }
    return matches;
  }

  /** Opens notebooks on the disk that have such cells, without showing them: only open cells have addresses. */
  private async openThoseWith(recorded: readonly string[]): Promise<boolean> {
    const wanted = new Set(recorded.map(recordedCellKey));
    const open = new Set(vscode.workspace.notebookDocuments.map(({ uri }) => uri.toString()));
    const found = await vscode.workspace.findFiles('**/*.ipynb', SKIPPED_FOLDERS_GLOB, MAX_NOTEBOOKS);
    let opened = false;
    for (const uri of found) {
      if (open.has(uri.toString())) continue;
      const keys = await this.storedKeys(uri);
      if (![...keys].some((key) => wanted.has(key))) continue;
      try {
        await vscode.workspace.openNotebookDocument(uri);
        opened = true;
      } catch {
        this.stored.set(uri.toString(), Promise.resolve(new Set())); // nothing here can read it
      }
    }
    return opened;
  }

  private storedKeys(uri: vscode.Uri): Promise<ReadonlySet<string>> {
    const id = uri.toString();
    return getOrAdd(this.stored, id, () => readStored(uri));
  }

  private keysOf(document: vscode.TextDocument): readonly string[] {
    const known = this.keys.get(document);
    if (known?.version === document.version) return known.keys;
    const keys = cellKeys(document.getText());
    this.keys.set(document, { version: document.version, keys });
    return keys;
  }
}

function openCells(): vscode.NotebookCell[] {
  return vscode.workspace.notebookDocuments
    .flatMap((notebook) => notebook.getCells())
    .filter(({ document }) => document.languageId === 'python');
}

/** The name of a cell. The notebook editor counts all cells from 1 in the status bar. */
function nameOf(cell: vscode.NotebookCell): string {
  return `${reportPath(cell.notebook.uri)} cell ${cell.index + 1}`;
}

async function readStored(uri: vscode.Uri): Promise<ReadonlySet<string>> {
  try {
    if ((await vscode.workspace.fs.stat(uri)).size > MAX_BYTES) return new Set();
    const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
    return new Set(storedCells(text).flatMap(cellKeys));
  } catch {
    return new Set(); // it is gone again, or may not be read
  }
}
