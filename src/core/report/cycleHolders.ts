import { cycleChains, type CycleChain } from '../verdict/cycleChains.js';
import type { FileLookup, OwnerLine } from '../attribution/owner.js';
import type { CycleGraph } from '../model/cycleGraph.js';
import { chainText, ownerOfChain } from './cycleReport.js';
import { folderOf } from './folderOf.js';
import type { OtherInputs } from './otherInputs.js';
import type { HolderReport } from './report.js';

interface Kept {
  chain: CycleChain;
  graph: CycleGraph;
}

/** Reference cycles that kept what lines allocated, from the cycle detector's files that lie beside the run's snapshots. */
export class CycleHolders {
  private readonly byLine = new Map<string, Kept>();

  constructor(paths: readonly string[], others: OtherInputs, lookup: FileLookup) {
    const folders = new Set(paths.map(folderOf));
    for (const { path, cycles } of others.cycles) {
      if (!folders.has(folderOf(path))) continue;
      for (const chain of cycleChains(cycles)) {
        const line = ownerOfChain(chain, lookup);
        if (line === null) continue;
        const known = this.byLine.get(keyOf(line));
        // A graph without a visible cycle says less: instance attributes are missing from it since Python 3.11.
        if (known === undefined || (known.chain.cycle.length === 0 && chain.cycle.length > 0)) {
          this.byLine.set(keyOf(line), { chain, graph: cycles });
        }
      }
    }
  }

  /** True if the detector found in garbage what the line allocated. */
  has(line: OwnerLine): boolean {
    return this.byLine.has(keyOf(line));
  }

  /** The cycle that kept what a line allocated, null where none is known. */
  of(line: OwnerLine): HolderReport | null {
    const kept = this.byLine.get(keyOf(line));
    if (kept === undefined) return null;
    const text = chainText(kept.chain, kept.graph);
    return { source: 'cycle', file: line.file, line: line.line, name: text, text, fix: null, edit: null };
  }
}

function keyOf({ file, line }: OwnerLine): string {
  return `${file}\n${line}`;
}
