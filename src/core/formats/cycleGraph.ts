import type { ByteSource } from '../bytes/byteSource.js';
import { readFully } from '../bytes/readFully.js';
import { SnapshotError } from '../bytes/snapshotError.js';
import { UNKNOWN_LINE } from '../model/snapshot.js';
import type { DigestFrame } from '../model/digestFrame.js';
import type { CycleEdge, CycleGraph, CycleNode } from '../model/cycleGraph.js';
import type { Format } from './format.js';
import type { ReadResult } from './readResult.js';
import { t } from '../text/translate.js';

/** The detector draws one collection: thousands of nodes at most. */
const MAX_BYTES = 1 << 26;
const FORMAT = 'cycleGraph';

/** `torch.utils.viz._cycles.to_dot`: objects that only the garbage collector could free, as a graph in dot. */
export const cycleDot: Format = {
  id: FORMAT,
  sniff: (head) => new TextDecoder().decode(head).trimStart().startsWith('digraph'),
  read: async (source) => {
    const dot = await wholeText(source);
    if (!dot.trimEnd().endsWith('}')) throw truncated(source);
    return parsed(source, dot, new Map());
  },
};

/**
 * The page of `torch.utils.viz._cycles.to_html`: the graph as a script, and the stack of each tensor. @throws
 * SnapshotError
 */
export async function readCyclePage(source: ByteSource): Promise<ReadResult> {
  const page = await wholeText(source);
  const dot = /^\s*let dot = (.*)$/m.exec(page);
  if (dot === null || !/<\/html>\s*$/i.test(page)) throw truncated(source);
  const stacks = new Map<number, readonly DigestFrame[]>();
  for (const match of page.matchAll(TENSOR_STACK)) {
    const text = json(match[2]);
    if (text !== null) stacks.set(Number(match[1]) - 1, framesOf(text));
  }
  const text = unquotePython(dot[1].trim());
  if (text === null) throw strange(source);
  return parsed(source, text, stacks);
}

const TENSOR_STACK =
  /getElementById\('node(\d+)'\)\.addEventListener\('mouseover'[^\n]*\n[^\n]*textContent = ("(?:[^"\\\n]|\\.)*")/g;
const NODE = /^(\d+) \[label=("(?:[^"\\]|\\.)*"), color=(\w+)\];?$/;
const EDGE = /^(\d+) -> (\d+) \[label = ("(?:[^"\\]|\\.)*")\];?$/;
/** `file:line:function`; a Windows path has a colon of its own. */
const FRAME = /^(.*):(-?\d{1,10}):([^:]*)$/;
const STACK_START = ':\n';

function parsed(source: ByteSource, dot: string, stacks: ReadonlyMap<number, readonly DigestFrame[]>): ReadResult {
  const nodes: CycleNode[] = [];
  const edges: CycleEdge[] = [];
  for (const line of dot.split('\n')) {
    const node = NODE.exec(line.trim());
    if (node !== null) {
      const index = Number(node[1]);
      if (index !== nodes.length) throw strange(source);
      nodes.push({ label: json(node[2]) ?? node[2], isTensor: node[3] === 'red', frames: stacks.get(index) ?? [] });
      continue;
    }
    const edge = EDGE.exec(line.trim());
    if (edge !== null) edges.push({ from: Number(edge[1]), to: Number(edge[2]), label: json(edge[3]) ?? edge[3] });
  }
  if (nodes.length === 0 || edges.some(({ from, to }) => from >= nodes.length || to >= nodes.length)) {
    throw strange(source);
  }
  const cycles: CycleGraph = { format: FORMAT, fileBytes: source.size, nodes, edges };
  return { kind: 'cycles', cycles };
}

/** The label of a tensor, then its stack, innermost first. */
function framesOf(text: string): DigestFrame[] {
  const start = text.indexOf(STACK_START);
  if (start < 0) return [];
  return text
    .slice(start + STACK_START.length)
    .split('\n')
    .map((line) => FRAME.exec(line))
    .filter((match) => match !== null)
    .map((match) => {
      const line = Number(match[2]);
      return { file: match[1], line: line > 0 ? line : UNKNOWN_LINE, function: match[3] };
    });
}

/** A text in JSON's quotes, null if it is none. */
function json(quoted: string): string | null {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return null;
  }
}

async function wholeText(source: ByteSource): Promise<string> {
  const bytes = await readFully(source, 0, Math.min(MAX_BYTES + 1, source.size));
  if (bytes.length > MAX_BYTES) {
    throw new SnapshotError(
      'limit',
      t(
        '{0} is a graph of more than {1} bytes, more than Leakline draws. Collect garbage more often.',
        source.name,
        MAX_BYTES,
      ),
    );
  }
  return new TextDecoder().decode(bytes);
}

function truncated(source: ByteSource): SnapshotError {
  return new SnapshotError(
    'truncated',
    t('{0} ends inside its graph: it is still being written or truncated. Wait until it is complete.', source.name),
  );
}

function strange(source: ByteSource): SnapshotError {
  return new SnapshotError(
    'notASnapshot',
    t(
      '{0} is not a graph of reference cycles as PyTorch writes it. Choose a file made by torch.utils.viz._cycles.',
      source.name,
    ),
  );
}

const SIMPLE: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '\\': '\\', "'": "'", '"': '"' };

/** The text behind a Python string literal as `repr` writes it, in either quote; null if it is none. */
function unquotePython(literal: string): string | null {
  const quote = literal[0];
  if ((quote !== "'" && quote !== '"') || literal.length < 2 || !literal.endsWith(quote)) return null;
  return literal
    .slice(1, -1)
    .replace(/\\(?:x([\da-fA-F]{2})|u([\da-fA-F]{4})|U([\da-fA-F]{8})|(.))/g, (whole: string, ...groups: unknown[]) => {
      const [byte, short, long, simple] = groups as (string | undefined)[];
      const code = byte ?? short ?? long;
      if (code !== undefined) {
        const value = Number.parseInt(code, 16);
        return value <= 0x10ffff ? String.fromCodePoint(value) : whole;
      }
      return SIMPLE[simple ?? ''] ?? whole;
    });
}
