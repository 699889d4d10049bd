/** Files as the training machine named them, and the workspace files that they are. */
import { getOrAdd } from '../../maps.js';
import { weighPair, type FolderPair } from './folderPairs.js';
import { FolderTree, foldersFrom, type Folder } from './folderTree.js';
import { settlePairs, type Assignment } from './pairContest.js';
import { recordedKind, isWindowsPath } from '../../model/recordedFile.js';
import { SuffixIndex } from './suffixIndex.js';

/** Everything under `recorded` is the same path under `workspace`. Both end without a separator. */
export interface PathRule {
  readonly recorded: string;
  /** Workspace-relative; empty for the workspace folder itself. */
  readonly workspace: string;
}

/** A folder of the workspace on this machine. */
export interface WorkspaceRoot {
  /** What the names of its files begin with: nothing, or the folder's name and `/` where a workspace has several. */
  readonly prefix: string;
  readonly folder: string;
}

/** The files that recorded ones may be. */
export interface MappedWorkspace {
  /** Workspace-relative paths with `/`. */
  readonly files: readonly string[];
  /** The user's, which have priority: pairs of folders or files. */
  readonly rules: readonly PathRule[];
  /** This machine may be the training machine. */
  readonly roots?: readonly WorkspaceRoot[];
}

/** Files that the mapping left open. */
export interface UnmappedFiles {
  /** Recorded user files with no answer. */
  readonly unmapped: readonly string[];
  /** Recorded files with equally good answers: shown, never guessed. */
  readonly ambiguous: readonly { readonly recorded: string; readonly candidates: readonly string[] }[];
  /** Prefix pairs that suffix matching found, most files first. */
  readonly learned: readonly PathRule[];
}

export interface PathMapping extends UnmappedFiles {
  /** The workspace path of a recorded file, or null. */
  lookup(recorded: string): string | null;
}

/** Maximum number of pairs of folders, far above real projects. */
const MAX_PAIRS = 10_000;

/** A user's file of the training machine; several spellings of one path are one file. */
interface RecordedFile {
  readonly path: RecordedPath;
  /** The parts of the path, normalized for comparison. */
  readonly keys: readonly string[];
  readonly spellings: string[];
}

/** The workspace, with letter case as it is or folded. */
interface WorkspaceIndex {
  readonly suffixes: SuffixIndex;
  /** Folder of each file. */
  readonly folderOf: readonly Folder[];
}

/**
 * Finds the workspace file of each recorded file. The user's rules have priority, of which the longest match decides. A
 * file that is in the workspace under its recorded path is itself. Other Python files of the user are searched by their
 * longest path suffix. Each pair of folders is weighed by all files that it explains. Ties stay open. Libraries, cells
 * and generated code need a rule.
 * @param recorded file names of frames, in any order
 */
export function mapPaths(
  recorded: readonly string[],
  { files: workspaceFiles, rules, roots = [] }: MappedWorkspace,
): PathMapping {
  const workspaceNames = workspaceFiles.map((file) => file.split('/').filter((name) => name !== '' && name !== '.'));
  const answers = new Map<string, string>();
  const unmapped: string[] = [];
  const settledFiles = new Set<number>();
  const files = new Map<string, RecordedFile>();

  const ruled = ruleFinder(rules, workspaceNames);
  const rootRules = roots.map(({ prefix, folder }) => ({ recorded: folder, workspace: prefix }));
  const here = ruleFinder(rootRules, workspaceNames);
  for (const text of new Set(recorded)) {
    const path = splitRecordedPath(text);
    const kind = recordedKind(text);
    // What is gone from its place may be elsewhere in the workspace.
    const own = kind === 'user' ? here(path) : null;
    const file = ruled(path) ?? (own === 'missing' ? null : own);
    if (typeof file === 'number') {
      answers.set(text, workspaceFiles[file]);
      if (kind === 'user') settledFiles.add(file);
    } else if (kind === 'interactive' || (kind === 'user' && file === 'missing')) {
      unmapped.push(text);
    } else if (kind === 'user') {
      const keys = path.windows ? path.names.map((name) => name.toLowerCase()) : path.names;
      const identity = `${path.windows ? 'w' : 'p'}${path.root}\0${keys.join('/')}`;
      getOrAdd(files, identity, () => ({ path, keys, spellings: [] })).spellings.push(text);
    }
  }

  const list = [...files.values()];
  const assignments = matchFolders(list, workspaceNames, settledFiles);
  const ambiguous: { recorded: string; candidates: readonly string[] }[] = [];
  const matched = new Map<FolderPair, { example: RecordedFile; count: number }>();
  list.forEach((file, index) => {
    const assignment = assignments.get(index);
    for (const text of file.spellings) {
      if (assignment === undefined) unmapped.push(text);
      else if (assignment.kind === 'one') answers.set(text, workspaceFiles[assignment.file]);
      else ambiguous.push({ recorded: text, candidates: assignment.files.map((at) => workspaceFiles[at]).sort() });
    }
    if (assignment?.kind !== 'one') return;
    getOrAdd(matched, assignment.pair, () => ({ example: file, count: 0 })).count++;
  });
  return {
    lookup: (text) => answers.get(text) ?? null,
    unmapped: unmapped.sort(),
    ambiguous: ambiguous.sort((a, b) => compareTexts(a.recorded, b.recorded)),
    learned: [...matched]
      .map(([pair, { example, count }]) => ({ rule: ruleOf(pair, example, workspaceFiles), count }))
      .sort((a, b) => b.count - a.count || compareTexts(a.rule.recorded, b.rule.recorded))
      .map(({ rule }) => rule),
  };
}

/** Answers a file from rules: a workspace file, `missing` where the rule leads to none, null for no rule. */
function ruleFinder(
  rules: readonly PathRule[],
  workspaceNames: readonly (readonly string[])[],
): (path: RecordedPath) => number | 'missing' | null {
  if (rules.length === 0) return () => null;
  const parsed = rules
    .map((rule) => ({
      from: splitRecordedPath(rule.recorded),
      to: rule.workspace.split('/').filter((name) => name !== '' && name !== '.'),
    }))
    .sort((a, b) => b.from.names.length - a.from.names.length);
  const exact = new Map<string, number>();
  const folded = new Map<string, number>();
  workspaceNames.forEach((names, index) => {
    const path = names.join('/');
    exact.set(path, index);
    folded.set(path.toLowerCase(), index);
  });
  return (path) => {
    const rule = parsed.find(({ from }) => isPrefix(from, path));
    if (rule === undefined) return null;
    const target = [...rule.to, ...path.names.slice(rule.from.names.length)].join('/');
    return exact.get(target) ?? (path.windows ? folded.get(target.toLowerCase()) : undefined) ?? 'missing';
  };
}

function isPrefix(prefix: RecordedPath, path: RecordedPath): boolean {
  if (prefix.names.length > path.names.length) return false;
  if (prefix.root !== path.root && (prefix.root !== '' || prefix.names.length > 0)) return false;
  return prefix.names.every((name, i) =>
    path.windows ? name.toLowerCase() === path.names[i].toLowerCase() : name === path.names[i],
  );
}

/** Finds the pairs of folders that the files suggest, and lets them settle who is who. */
function matchFolders(
  files: readonly RecordedFile[],
  workspaceNames: readonly (readonly string[])[],
  settledFiles: ReadonlySet<number>,
): Map<number, Assignment> {
  const exact = indexWorkspace(workspaceNames);
  const folded = files.some((file) => file.path.windows)
    ? indexWorkspace(workspaceNames.map((names) => names.map((name) => name.toLowerCase())))
    : exact;
  const recordedTree = new FolderTree();
  const recordFolder = files.map(({ path, keys }, index) =>
    recordedTree.add([`${path.windows ? 'w' : 'p'}${path.root}`, ...keys], index),
  );

  const seen = new Set<string>();
  const pairs: FolderPair[] = [];
  files.forEach(({ path, keys }, index) => {
    const workspace = path.windows ? folded : exact;
    const { length, files: candidates } = workspace.suffixes.longest(keys);
    for (const candidate of candidates) {
      const from = ancestor(recordFolder[index], length - 1);
      const to = ancestor(workspace.folderOf[candidate], length - 1);
      const key = `${from.id} ${to.id}`;
      if (seen.has(key) || pairs.length >= MAX_PAIRS) continue;
      seen.add(key);
      pairs.push(weighPair(from, to));
    }
  });
  return settlePairs({ pairs, recordFolder, fileFolder: exact.folderOf, settledFiles });
}

function indexWorkspace(workspaceNames: readonly (readonly string[])[]): WorkspaceIndex {
  const tree = new FolderTree();
  return {
    suffixes: new SuffixIndex(workspaceNames),
    folderOf: workspaceNames.map((names, index) => tree.add(names, index)),
  };
}

function ancestor(folder: Folder, levels: number): Folder {
  let at = folder;
  for (let i = 0; i < levels && at.parent !== null; i++) at = at.parent;
  return at;
}

/** The pair as text, spelled as the example spells it. */
function ruleOf(pair: FolderPair, example: RecordedFile, workspaceFiles: readonly string[]): PathRule {
  // The tree's first level is the root of the file system.
  const recorded = joinRecordedPath(example.path, example.path.names.slice(0, depthOf(pair.recorded) - 1));
  const [hit] = pair.hits;
  const names = workspaceFiles[hit.files[0]].split('/').filter((name) => name !== '' && name !== '.');
  return { recorded, workspace: names.slice(0, depthOf(pair.workspace)).join('/') };
}

function depthOf(folder: Folder): number {
  return [...foldersFrom(folder.parent)].length;
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** A path of the training machine, split. */
interface RecordedPath {
  readonly windows: boolean;
  /** The root of a path: `/`, `c:`, `\\` (a share), or empty for a relative one. */
  readonly root: string;
  /** The names as recorded, without `.`, `..` and empty ones. */
  readonly names: readonly string[];
}

/** Splits a recorded path; never fails, whatever the text. */
export function splitRecordedPath(text: string): RecordedPath {
  const windows = isWindowsPath(text);
  const path = windows ? text.replace(/^\\\\\?\\(?:UNC(?=\\))?/, (match) => (match.length > 4 ? '\\' : '')) : text;
  const parts = path.split(windows ? /[\\/]/ : '/');
  let root = '';
  if (windows && /^[A-Za-z]:$/.test(parts[0] ?? '')) root = (parts.shift() ?? '').toLowerCase();
  else if (parts.length > 1 && parts[0] === '') root = windows ? '\\\\' : '/';
  const names: string[] = [];
  for (const part of parts) {
    if (part === '..') names.pop();
    else if (part !== '' && part !== '.') names.push(part);
  }
  return { windows, root, names };
}

/** The text of a folder, as a person would write it on that machine, without a separator at the end. */
export function joinRecordedPath({ windows, root }: RecordedPath, names: readonly string[]): string {
  if (!windows) return root === '/' ? names.map((name) => `/${name}`).join('') : names.join('/');
  return (root.endsWith(':') ? [root.toUpperCase(), ...names] : [...(root === '' ? [] : ['\\']), ...names]).join('\\');
}
