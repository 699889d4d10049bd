import type { CycleGraph } from '../model/cycleGraph.js';
import type { DigestFrame } from '../model/digestFrame.js';
import { getOrAdd } from '../maps.js';

/** The holders of one tensor among the objects that only the garbage collector could free. */
export interface CycleChain {
  /** Index of the tensor. */
  tensor: number;
  /** Where it was allocated, innermost first; empty where not known. */
  frames: readonly DigestFrame[];
  /** Objects that refer to one another, each to the next and the last one to the first; empty if the graph shows none. */
  cycle: readonly number[];
  /** Objects from the cycle, or from the furthest holder, to the tensor; the tensor alone if nothing refers to it. */
  path: readonly number[];
}

/** Maximum number of examined objects for all tensors together: real chains are short, a longer one is hostile. */
const MAX_LOOKS = 1 << 22;

/** Finds the nearest cycle behind every tensor of a graph. */
export function cycleChains({ nodes, edges }: CycleGraph): CycleChain[] {
  const forward = nodes.map((): number[] => []);
  const back = nodes.map((): number[] => []);
  for (const { from, to } of edges) {
    forward[from].push(to);
    back[to].push(from);
  }
  const cyclic = nodesOfCycles(forward);
  const looks = { left: MAX_LOOKS };
  const known = new Map<number, readonly number[]>();
  return nodes.flatMap((node, tensor) => {
    if (!node.isTensor) return [];
    const path = pathTo(tensor, back, cyclic, looks);
    const start = path[0];
    if (!cyclic.has(start)) return [{ tensor, frames: node.frames, cycle: [], path }];
    const cycle = getOrAdd(known, start, () => {
      const last = new Set(back[start]);
      const shortest = pathTo(start, forward, last, looks);
      // The object alone where none is found in time.
      return last.has(shortest[0]) ? shortest.reverse() : [start];
    });
    return [{ tensor, frames: node.frames, cycle, path }];
  });
}

/** Along edges from a node to the nearest one wanted, else to the furthest: given from there on. */
function pathTo(
  node: number,
  edges: readonly number[][],
  wanted: ReadonlySet<number>,
  looks: { left: number },
): number[] {
  const next = new Map<number, number>([[node, -1]]);
  const queue = [node];
  let end = node;
  for (const at of queue) {
    end = at;
    if (wanted.has(at)) break;
    for (const to of edges[at]) {
      if (looks.left-- <= 0) break;
      if (next.has(to)) continue;
      next.set(to, at);
      queue.push(to);
    }
  }
  const path: number[] = [];
  for (let at = end; at !== -1; at = next.get(at) ?? -1) path.push(at);
  return path;
}

/** Nodes of strongly connected components (Tarjan), without recursion: a graph may be one long chain. */
function nodesOfCycles(forward: readonly number[][]): ReadonlySet<number> {
  const { length } = forward;
  const cyclic = new Set<number>();
  const order = new Int32Array(length).fill(-1);
  const low = new Int32Array(length);
  const open: number[] = [];
  let count = 0;
  for (let root = 0; root < length; root++) {
    if (order[root] !== -1) continue;
    const walk = [{ node: root, edge: 0 }];
    order[root] = low[root] = count++;
    open.push(root);
    while (walk.length > 0) {
      const here = walk[walk.length - 1];
      const { node } = here;
      if (here.edge < forward[node].length) {
        const to = forward[node][here.edge++];
        if (order[to] === -1) {
          order[to] = low[to] = count++;
          open.push(to);
          walk.push({ node: to, edge: 0 });
        } else low[node] = Math.min(low[node], order[to]);
        continue;
      }
      walk.pop();
      const parent = walk.at(-1);
      if (parent !== undefined) low[parent.node] = Math.min(low[parent.node], low[node]);
      if (low[node] !== order[node]) continue;
      const members = open.splice(open.lastIndexOf(node));
      for (const member of members) {
        // An edge to a finished component lowers nothing.
        order[member] = length;
        if (members.length > 1 || forward[member].includes(member)) cyclic.add(member);
      }
    }
  }
  return cyclic;
}
