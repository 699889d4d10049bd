/** Sums by call, as a flame graph shows them: a tree as large as an answer may be, exact at every level. */
import { getOrAdd } from '../maps.js';
import type { Bytes } from '../model/units.js';
import type { CallId, CallPaths } from './callPaths.js';

/** Maximum number of nodes for single calls; the others are merged with their siblings. */
export const MAX_CALLS = 1000;
/** Minimum width of a node in pixels. */
const NARROWEST = 3;

/** One node per row, each before its children, siblings from the largest to the smallest and merged ones last. */
export interface CallTree {
  /** The row above; the first row, which is focused, refers to itself. */
  readonly parent: Uint32Array;
  /** The call; meaningless for a merged row, and for the root without focus. */
  readonly call: Uint32Array;
  /** Bytes of the call and of all that it called: `self`, and the bytes of the rows below. */
  readonly bytes: Float64Array;
  /** Allocated by the call itself. Of a merged row all of its bytes. */
  readonly self: Float64Array;
  readonly blocks: Uint32Array;
  /** How many calls a merged row stands for, 0 for a row that is one call. */
  readonly merged: Uint32Array;
}

export interface FocusedTree {
  tree: CallTree;
  /** The calls that were focused, outermost first, as far as they exist, each with its bytes and other sums. */
  focus: { call: CallId; bytes: Bytes; sums: number[] }[];
  /** The other sums, each by row of the tree. */
  sums: Float64Array[];
}

interface CallTreeRequest {
  /** The calls down to the node that becomes the first row; none for everything. */
  focus: readonly CallId[];
  /** The width of the first row. */
  pixels: number;
  /** Takes the space of a call's words, or returns false. */
  admits: (call: CallId) => boolean;
}

interface Node {
  parent: number;
  call: CallId;
  bytes: Bytes;
  self: Bytes;
  blocks: number;
  sums: number[];
  merged: number;
  children: number[];
}

/** A node whose children are not known yet: the paths that go through it, which agree in their first `depth` calls. */
interface Open {
  node: number;
  rows: Uint32Array;
  depth: number;
}

/** Paths with the other values of each that are summed up. */
type SummedPaths = CallPaths & { readonly others: readonly ArrayLike<number>[] };

/**
 * The largest nodes are opened first, so that the least important ones are omitted.
 * @param others values by path to sum up for each row besides bytes and blocks
 */
export function callTree(
  ofPaths: CallPaths,
  request: CallTreeRequest,
  others: SummedPaths['others'] = [],
): FocusedTree {
  const paths = { ...ofPaths, others };
  const { rows, focus } = focused(paths, request.focus);
  const nodes: Node[] = [
    { parent: 0, call: focus.at(-1)?.call ?? 0, ...sumOf(paths, rows), self: 0, merged: 0, children: [] },
  ];
  const min = Math.max(1, (nodes[0].bytes * NARROWEST) / request.pixels);
  const open: Open[] = [{ node: 0, rows, depth: focus.length }];
  let room = MAX_CALLS;
  for (let next = takeLargest(open, nodes); next !== null; next = takeLargest(open, nodes)) {
    const { node, depth } = next;
    const { self, groups } = split(paths, next);
    nodes[node].self = self;
    const rest = { bytes: 0, blocks: 0, sums: others.map(() => 0), merged: 0 };
    for (const { call, rows: below, bytes, blocks, sums } of groups) {
      if (bytes < min || room === 0 || !request.admits(call)) {
        rest.bytes += bytes;
        rest.blocks += blocks;
        sums.forEach((sum, i) => (rest.sums[i] += sum));
        rest.merged++;
        continue;
      }
      room--;
      nodes[node].children.push(nodes.length);
      open.push({ node: nodes.length, rows: below, depth: depth + 1 });
      nodes.push({ parent: node, call, bytes, self: 0, blocks, sums, merged: 0, children: [] });
    }
    if (rest.merged > 0) {
      nodes[node].children.push(nodes.length);
      nodes.push({ parent: node, call: 0, self: rest.bytes, children: [], ...rest });
    }
  }
  return { ...inOrder(nodes, others.length), focus };
}

function focused(paths: SummedPaths, wanted: readonly CallId[]): Pick<FocusedTree, 'focus'> & { rows: Uint32Array } {
  let rows = Uint32Array.from({ length: paths.count }, (_, row) => row);
  const focus: FocusedTree['focus'] = [];
  for (const [depth, call] of wanted.entries()) {
    const through = rows.filter((row) => {
      const at = paths.offset[row] + depth;
      return at < paths.offset[row + 1] && paths.calls[at] === call;
    });
    if (through.length === 0) break;
    rows = through;
    const { bytes, sums } = sumOf(paths, rows);
    focus.push({ call, bytes, sums });
  }
  return { rows, focus };
}

function sumOf({ bytes, blocks, others }: SummedPaths, rows: Uint32Array): Pick<Node, 'bytes' | 'blocks' | 'sums'> {
  const sum = { bytes: 0, blocks: 0, sums: new Array<number>(others.length).fill(0) };
  for (const row of rows) {
    sum.bytes += bytes[row];
    sum.blocks += blocks[row];
  }
  for (const [i, values] of others.entries()) for (const row of rows) sum.sums[i] += values[row];
  return sum;
}

function takeLargest(open: Open[], nodes: readonly Node[]): Open | null {
  let largest = 0;
  for (let i = 1; i < open.length; i++) if (nodes[open[i].node].bytes > nodes[open[largest].node].bytes) largest = i;
  const last = open.pop();
  if (last === undefined || largest === open.length) return last ?? null;
  const taken = open[largest];
  open[largest] = last;
  return taken;
}

type Group = Pick<Node, 'call' | 'bytes' | 'blocks' | 'sums'> & { rows: Uint32Array };

/** A node's own memory, and the calls below it, largest first. */
function split(paths: SummedPaths, { rows, depth }: Open): { self: Bytes; groups: Group[] } {
  const found = new Map<CallId, number[]>();
  let self = 0;
  for (const row of rows) {
    const at = paths.offset[row] + depth;
    if (at === paths.offset[row + 1]) {
      self += paths.bytes[row];
      continue;
    }
    getOrAdd(found, paths.calls[at], () => []).push(row);
  }
  const groups = Array.from(found, ([call, members]) => {
    const below = Uint32Array.from(members);
    return { call, rows: below, ...sumOf(paths, below) };
  });
  return { self, groups: groups.sort((a, b) => b.bytes - a.bytes || a.call - b.call) };
}

function inOrder(nodes: readonly Node[], others: number): Pick<FocusedTree, 'tree' | 'sums'> {
  const order: number[] = [];
  const rowOf = new Uint32Array(nodes.length);
  const waiting = [0];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    rowOf[node] = order.length;
    order.push(node);
    waiting.push(...nodes[node].children.toReversed());
  }
  const tree = {
    parent: Uint32Array.from(order, (node) => rowOf[nodes[node].parent]),
    call: Uint32Array.from(order, (node) => nodes[node].call),
    bytes: Float64Array.from(order, (node) => nodes[node].bytes),
    self: Float64Array.from(order, (node) => nodes[node].self),
    blocks: Uint32Array.from(order, (node) => nodes[node].blocks),
    merged: Uint32Array.from(order, (node) => nodes[node].merged),
  };
  return {
    tree,
    sums: Array.from({ length: others }, (_, i) => Float64Array.from(order, (node) => nodes[node].sums[i])),
  };
}
