import { type FileLookup, type OwnerLine, ownerLineOf } from '../../attribution/owner.js';
import type { CycleGraph } from '../../model/cycleGraph.js';
import { folderOf } from '../../runs/runNames.js';
import { type CycleChain, cycleChains } from '../../verdict/cycleChains.js';
import type { OtherInputs } from '../otherInputs.js';
import type { Holder } from '../remedy/holder.js';
import type { CycleReport, CycleTensorReport } from '../report.js';
import { reportFrame } from '../reportFrame.js';

/** A graph of garbage may be large, with many repetitions. */
const MAX_TENSORS = 1000;
const MAX_LABEL = 60;
/** Maximum number of objects of a chain that are named. */
const MAX_CHAIN = 12;

/** Memory held by reference cycles, and the lines that allocated it. */
export function cycleReport(path: string, graph: CycleGraph, lookup: FileLookup): CycleReport {
  const chains = cycleChains(graph);
  return {
    path,
    format: graph.format,
    bytes: graph.fileBytes,
    objects: graph.nodes.length,
    tensors: chains.length,
    kept: chains.slice(0, MAX_TENSORS).map((chain) => tensorReport(chain, graph, lookup)),
  };
}

/** A cycle in words: `function hook → (cell,cell) → dict[2] → function hook`, or the path to the tensor. */
function chainText({ cycle, path }: CycleChain, graph: CycleGraph): string {
  const objects = cycle.length > 0 ? [...cycle, cycle[0]] : path;
  const names = objects.map((node) => labelText(graph.nodes[node].label));
  if (names.length <= MAX_CHAIN) return names.join(' → ');
  return [...names.slice(0, MAX_CHAIN - 1), '…', names[names.length - 1]].join(' → ');
}

function tensorReport(chain: CycleChain, graph: CycleGraph, lookup: FileLookup): CycleTensorReport {
  return {
    text: chainText(chain, graph),
    isCycle: chain.cycle.length > 0,
    line: ownerLineOf(chain.frames, [], lookup),
    frames: chain.frames.map((frame) => reportFrame(frame, lookup)),
  };
}

/** Labels of Python objects have a kind, then a name on the next line. */
function labelText(label: string): string {
  const text = label.replace(/\s+/g, ' ').replace(/^object /, '');
  return text.length <= MAX_LABEL ? text : `${text.slice(0, MAX_LABEL - 1)}…`;
}

interface LineCycle {
  chain: CycleChain;
  graph: CycleGraph;
}

/** Reference cycles that hold memory of lines, from the cycle detector's files beside the run's snapshots. */
export class CycleHolders {
  private readonly byLine = new Map<string, LineCycle>();

  constructor(paths: readonly string[], others: OtherInputs, lookup: FileLookup) {
    for (const { path, cycles } of others.cycles) {
      const folder = folderOf(path.replaceAll('\\', '/'));
      if (!paths.some((one) => folderOf(one.replaceAll('\\', '/')) === folder)) continue;
      for (const chain of cycleChains(cycles)) {
        const line = ownerLineOf(chain.frames, [], lookup);
        if (line === null) continue;
        const known = this.byLine.get(keyOf(line));
        // A graph without a visible cycle is less precise: it has no instance attributes since Python 3.11.
        if (known === undefined || (known.chain.cycle.length === 0 && chain.cycle.length > 0)) {
          this.byLine.set(keyOf(line), { chain, graph: cycles });
        }
      }
    }
  }

  /** True if the detector found memory of the line in garbage. */
  has(line: OwnerLine): boolean {
    return this.byLine.has(keyOf(line));
  }

  /** The cycle that held memory of a line, or null. */
  of(line: OwnerLine): Holder | null {
    const known = this.byLine.get(keyOf(line));
    if (known === undefined) return null;
    const text = chainText(known.chain, known.graph);
    return { source: 'cycle', file: line.file, line: line.line, name: text, text };
  }
}

function keyOf({ file, line }: OwnerLine): string {
  return `${file}\n${line}`;
}
