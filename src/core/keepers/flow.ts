/** Where values come from and what they keep alive: a graph that grows while the source is followed. */

/** How sure it is that something holds: not, perhaps, likely, surely. */
export type Sureness = 0 | 1 | 2 | 3;

/** A value at one moment of the run that is followed. */
export class FlowNode {
  /** Values that autograd needs for this one's backward: its graph keeps them, their data and their graphs. */
  readonly parents: FlowNode[] = [];
  /** Values that this one keeps as they are: a container its items, a view its base. */
  readonly holds: FlowNode[] = [];
  /** Values whose storage it shares, without their graphs: what `detach()` gives. */
  readonly storage: FlowNode[] = [];
  /** One of these it is: after a branch. */
  readonly same: FlowNode[] = [];
  /** What it keeps through attributes and items that are replaced in time. */
  content: (() => Iterable<FlowNode>) | null = null;
  /** How sure it is that the watched line allocates it. */
  allocated: Sureness = 0;
  /** Its backward has run: its graph keeps nothing any more. */
  freed = false;
  /** An object that may own parameters, whose gradients it keeps. */
  isObject = false;
  /** It keeps what it holds no surer than so. */
  limit: Sureness = 3;

  /**
   * @param grad how sure it is that it has a graph
   * @param isTensor true if it can be nothing but a tensor
   */
  constructor(
    readonly grad: Sureness,
    readonly isTensor = false,
  ) {}
}

/** What a walk may still pass through. */
type Mode = 'data' | 'object' | 'behind';

/** How sure it is that a value is, or holds, memory that the watched line allocated. */
export function dataKept(node: FlowNode): Sureness {
  return LEVELS.find((level) => finds(node, 'data', level)) ?? 0;
}

/** How sure it is that the graph of a value, or of one that it holds, keeps memory that the watched line allocated. */
export function graphKept(node: FlowNode): Sureness {
  return LEVELS.find((level) => finds(node, 'object', level)) ?? 0;
}

const LEVELS: readonly Sureness[] = [3, 2, 1];

/**
 * Walks from a node to one that the watched line allocated, over what is at least so sure.
 * As `data`, what holds memory is passed; as `object`, holders until a graph begins; `behind` a graph, both.
 */
function finds(start: FlowNode, mode: Mode, level: Sureness): boolean {
  const seen: Record<Mode, Set<FlowNode>> = { data: new Set(), object: new Set(), behind: new Set() };
  const open: { node: FlowNode; mode: Mode }[] = [];
  const visit = (nodes: Iterable<FlowNode>, as: Mode): void => {
    for (const node of nodes) {
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
export function graphLeadsTo(node: FlowNode, goal: FlowNode): boolean {
  const seen = new Set<FlowNode>([node]);
  const open = [node];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (at === goal) return true;
    const next = [...at.same, ...at.holds, ...(at.freed || at.grad === 0 ? [] : at.parents)];
    for (const other of next) {
      if (seen.has(other)) continue;
      seen.add(other);
      open.push(other);
    }
  }
  return false;
}

/** Everything that a backward from `node` passes through. */
export function behind(node: FlowNode): FlowNode[] {
  const seen = new Set<FlowNode>([node]);
  for (const at of seen) {
    for (const list of [at.same, at.holds, at.grad === 0 ? [] : at.parents]) for (const other of list) seen.add(other);
    for (const other of at.content?.() ?? []) seen.add(other);
  }
  return [...seen];
}

export function larger(a: Sureness, b: Sureness): Sureness {
  return a > b ? a : b;
}

export function smaller(a: Sureness, b: Sureness): Sureness {
  return a < b ? a : b;
}
