/** Whether the source that the workspace has can be the one that ran. */
import type { OwnerLine } from '../attribution/owner.js';
import { forEachStatement, lineAt, readModule, type PythonModule } from '../python/pythonModule.js';
import type { DifferentVersion } from './report.js';
import { linesOfFile, type ReportWorkspace } from './reportWorkspace.js';

/** Names such as `<module>` and `<lambda>` are of no definition. */
const NAME = /^[^\W\d]\w*$/;

/** Tells of lines of the workspace whether the function of a recorded frame still encloses them. */
export class SourceFits {
  private readonly modules = new Map<string, PythonModule | null>();

  constructor(private readonly workspace: ReportWorkspace) {}

  /** Null where the line fits, or where nothing can be said. */
  of({ file, line, function: name, mapped }: OwnerLine): DifferentVersion | null {
    if (!mapped || line < 1 || !NAME.test(name)) return null;
    const text = this.workspace.lineText?.(file, line) ?? null;
    // Some profiles name the first line of a function, which may be that of a decorator.
    if (text?.trimStart().startsWith('@') === true) return null;
    if (text !== null && this.isInside(file, line, name)) return null;
    const module = this.module(file);
    if (module === null) return null;
    const spans: [from: number, to: number][] = [];
    forEachStatement(module.body, (statement) => {
      if ((statement.kind !== 'function' && statement.kind !== 'class') || statement.name !== name) return;
      spans.push([lineAt(module, statement.from), lineAt(module, statement.to - 1)]);
    });
    if (spans.some(([from, to]) => from <= line && line <= to)) return null;
    return { line: spans.length === 1 ? spans[0][0] : null };
  }

  /** By indentation alone: parsing a file takes longer. False is no proof. */
  private isInside(file: string, line: number, name: string): boolean {
    let indent = Infinity;
    for (let at = line; at > 0 && indent > 0; at--) {
      const text = this.workspace.lineText?.(file, at) ?? '';
      const own = text.search(/\S/);
      if (own < 0 || (at < line && own >= indent)) continue;
      indent = own;
      const [, defined] = /^\s*(?:async\s+)?(?:def|class)\s+(\w+)/.exec(text) ?? [];
      if (defined === name) return true;
    }
    return false;
  }

  private module(file: string): PythonModule | null {
    let module = this.modules.get(file);
    if (module === undefined) {
      const lines = linesOfFile(this.workspace, file);
      module = lines.length === 0 ? null : readModule(file, lines.join('\n'), () => Date.now());
      this.modules.set(file, module);
    }
    return module;
  }
}
