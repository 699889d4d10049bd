import { getOrAdd } from '../maps.js';
import { allStatements, ParseBudget, type PythonModule } from '../python/pythonModule.js';
import { readModule } from '../python/readModule.js';

interface SourcePort {
  /** The text of a workspace file, or null. */
  text(file: string): string | null;
}

/** Parsed files, each parsed once. */
export class Sources {
  private readonly modules = new Map<string, PythonModule | null>();
  private asked = new Map<string, PythonModule | null>();
  private readonly budget = new ParseBudget();
  private readonly known: ReadonlySet<string>;

  /** @param files the workspace's Python files */
  constructor(
    files: readonly string[],
    private readonly port: SourcePort,
    private readonly parsed: ParsedFiles,
  ) {
    this.known = new Set(files);
  }

  module(file: string): PythonModule | null {
    if (!this.known.has(file)) return null;
    const module = getOrAdd(this.modules, file, () => {
      const isFull = this.modules.size >= MAX_FILES || this.budget.isSpent;
      const text = isFull ? null : this.port.text(file);
      if (text === null) return null;
      const read = this.parsed.module(file, text);
      this.budget.take(read, text);
      return read;
    });
    this.asked.set(file, module);
    return module;
  }

  /** The files that were requested since the last call. */
  takeAsked(): ReadonlyMap<string, PythonModule | null> {
    const { asked } = this;
    this.asked = new Map();
    return asked;
  }

  /** The file that an import names; null if it is not a file of the workspace. */
  imported(from: PythonModule, dotted: string): PythonModule | null {
    const dots = /^\.*/.exec(dotted)?.[0].length ?? 0;
    const names = dotted.slice(dots).split('.').filter(Boolean);
    const folder = from.file.split('/').slice(0, -1);
    if (dots > 0) return this.inFolder(folder.slice(0, folder.length - dots + 1), names);
    for (let depth = folder.length; depth >= 0; depth--) {
      const found = this.inFolder(folder.slice(0, depth), names);
      if (found !== null) return found;
    }
    return null;
  }

  /** Files with all their imports: candidates that may have run. */
  reachableFrom(files: Iterable<string>): PythonModule[] {
    const found = new Set<PythonModule>();
    const add = (module: PythonModule | null): void => {
      if (module !== null) found.add(module);
    };
    for (const file of files) add(this.module(file));
    for (const module of found) {
      for (const statement of allStatements(module.body)) {
        if (statement.kind !== 'import') continue;
        const { module: from, names } = statement;
        if (from !== '') add(this.imported(module, from));
        const start = from === '' || from.endsWith('.') ? from : `${from}.`;
        for (const { name } of names) add(name === '*' ? null : this.imported(module, `${start}${name}`));
      }
    }
    return [...found];
  }

  /** All files that were read. */
  get read(): PythonModule[] {
    return [...this.modules.values()].filter((module) => module !== null);
  }

  private inFolder(folder: readonly string[], names: readonly string[]): PythonModule | null {
    const path = [...folder, ...names].join('/');
    return this.module(`${path}.py`) ?? this.module(path === '' ? '__init__.py' : `${path}/__init__.py`);
  }
}

/** Maximum number of files for a program's stack and calls. */
const MAX_FILES = 400;

/** Parsed files that outlast a report: a file is parsed again only when its text has changed. */
export class ParsedFiles {
  private readonly files = new Map<string, { text: string; module: PythonModule | null }>();

  module(file: string, text: string): PythonModule | null {
    const known = this.files.get(file);
    if (known?.text === text) return known.module;
    const module = readModule(file, text);
    this.files.delete(file);
    this.files.set(file, { text, module });
    const [oldest] = this.files.keys();
    if (this.files.size > MAX_FILES) this.files.delete(oldest);
    return module;
  }
}
