import type { FlowNode, Sureness } from './flowNode.js';

/** The values that a value holds, directly or through a graph. */
export interface Held {
  readonly data: Sureness;
  readonly graph: Sureness;
}

/** Counts the values that walks visit. */
export interface Walker {
  /** @throws Error beyond its limit */
  visit(): void;
}

/** Edges that a walk may still follow. */
type Mode = 'data' | 'object' | 'behind';

/** How sure it is that a value is, or holds, memory that the watched line allocated. */
export function dataHeld(node: FlowNode, walker: Walker): Sureness {
  return LEVELS.find((level) => finds(node, 'data', level, walker)) ?? 0;
}

/** The certainty that the graph of a value, or of one that it holds, holds watched memory. */
export function graphHeld(node: FlowNode, walker: Walker): Sureness {
  return LEVELS.find((level) => finds(node, 'object', level, walker)) ?? 0;
}

const LEVELS: readonly Sureness[] = [3, 2, 1];

/**
 * Walks from a node to one that the watched line allocated, over edges of at least this certainty. `data` follows what
 * holds memory, `object` holders up to a graph, `behind` both after a graph.
 */
function finds(start: FlowNode, mode: Mode, level: Sureness, walker: Walker): boolean {
  const seen: Record<Mode, Set<FlowNode>> = { data: new Set(), object: new Set(), behind: new Set() };
  const open: { node: FlowNode; mode: Mode }[] = [];
  const visit = (nodes: Iterable<FlowNode>, as: Mode): void => {
    for (const node of nodes) {
      walker.visit();
      if (seen[as].has(node)) continue;
      seen[as].add(node);
      open.push({ node, mode: as });
    }
  };
  visit([start], mode);
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    const { node } = at;
    const hasGraph = !node.freed && node.grad >= level;
    if (node.allocated >= level && (at.mode !== 'object' || hasGraph)) return true;
    visit(node.same, at.mode);
    if (node.limit >= level) {
      visit(node.holds, at.mode);
      if (node.content !== null) visit(node.content(), at.mode);
      if (at.mode !== 'object') visit(node.storage, 'data');
    }
    if (at.mode !== 'data' && hasGraph) visit(node.parents, 'behind');
  }
  return false;
}

/** True if the graph of `node`, as far as it is still there, leads back to `goal`. */
export function graphLeadsTo(node: FlowNode, goal: FlowNode, walker: Walker): boolean {
  const next = (at: FlowNode): FlowNode[] => [
    ...at.same,
    ...at.holds,
    ...(at.freed || at.grad === 0 ? [] : at.parents),
  ];
  return leads(node, goal, walker, next);
}

/** True if the goal is the start, or is reached from it. */
export function leads<Node>(start: Node, goal: Node, walker: Walker, next: (at: Node) => Iterable<Node>): boolean {
  const seen = new Set([start]);
  for (const at of seen) {
    if (at === goal) return true;
    for (const other of next(at)) {
      walker.visit();
      seen.add(other);
    }
  }
  return false;
}

/** Everything that a backward from `node` passes through. */
export function behind(node: FlowNode, walker: Walker): FlowNode[] {
  const seen = new Set<FlowNode>([node]);
  for (const at of seen) {
    walker.visit();
    for (const list of [at.same, at.holds, at.grad === 0 ? [] : at.parents]) for (const other of list) seen.add(other);
    for (const other of at.content?.() ?? []) seen.add(other);
  }
  return [...seen];
}

export function heldBy(node: FlowNode, walker: Walker): Held {
  return { data: dataHeld(node, walker), graph: graphHeld(node, walker) };
}

/** True if a value is, or shares its memory with, an earlier one. */
export function isPartOf(early: FlowNode, late: FlowNode, walker: Walker): boolean {
  return leads(late, early, walker, (at) => [...at.same, ...at.holds, ...at.storage]);
}

export function leadsToSame(node: FlowNode, goal: FlowNode, walker: Walker): boolean {
  return leads(node, goal, walker, (at) => [...at.same, ...at.holds]);
}
