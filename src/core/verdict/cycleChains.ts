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
  const component = components(forward);
  const size = new Map<number, number>();
  for (const of of component) size.set(of, (size.get(of) ?? 0) + 1);
  const refersToItself = new Set(edges.filter(({ from, to }) => from === to).map(({ from }) => from));
  const isCyclic = (node: number): boolean => (size.get(component[node]) ?? 0) > 1 || refersToItself.has(node);
  const looks = { left: MAX_LOOKS };
  const known = new Map<number, readonly number[]>();
  return nodes.flatMap((node, tensor) => {
    if (!node.isTensor) return [];
    const path = pathTo(tensor, back, isCyclic, looks);
    const start = path[0];
    if (!isCyclic(start)) return [{ tensor, frames: node.frames, cycle: [], path }];
    const cycle = getOrAdd(known, start, () => shortestCycle(start, forward, component, looks));
    return [{ tensor, frames: node.frames, cycle, path }];
  });
}

/** Backwards from a node to the nearest one wanted, else to the furthest: given from there on. */
function pathTo(
  node: number,
  back: readonly number[][],
  wanted: (node: number) => boolean,
  looks: { left: number },
): number[] {
  const next = new Map<number, number>([[node, -1]]);
  const queue = [node];
  let end = node;
  for (const at of queue) {
    end = at;
    if (wanted(at)) break;
    for (const from of back[at]) {
      if (looks.left-- <= 0) break;
      if (next.has(from)) continue;
      next.set(from, at);
      queue.push(from);
    }
  }
  const path: number[] = [];
  for (let at = end; at !== -1; at = next.get(at) ?? -1) path.push(at);
  return path;
}

/** The node alone where none is found in time. */
function shortestCycle(
  start: number,
  forward: readonly number[][],
  component: Int32Array,
  looks: { left: number },
): number[] {
  const before = new Map<number, number>();
  const queue = [start];
  for (const at of queue) {
    for (const to of forward[at]) {
      if (looks.left-- <= 0) return [start];
      if (to === start) {
        const cycle = [at];
        for (let node = at; node !== start; cycle.push(node)) node = before.get(node) ?? start;
        return cycle.reverse();
      }
      if (component[to] !== component[start] || before.has(to)) continue;
      before.set(to, at);
      queue.push(to);
    }
  }
  return [start];
}

/** Strongly connected components (Tarjan), without recursion: a graph may be one long chain. */
function components(forward: readonly number[][]): Int32Array {
  const { length } = forward;
  const component = new Int32Array(length).fill(-1);
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
        } else if (component[to] === -1) low[node] = Math.min(low[node], order[to]);
        continue;
      }
      walk.pop();
      const parent = walk.at(-1);
      if (parent !== undefined) low[parent.node] = Math.min(low[parent.node], low[node]);
      if (low[node] !== order[node]) continue;
      for (let member = -1; member !== node;) {
        member = open.pop() ?? node;
        component[member] = node;
      }
    }
  }
  return component;
}
