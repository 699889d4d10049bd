import type { DigestFrame } from './digestFrame.js';
import type { Bytes } from './units.js';

/** A Python object of a reference cycle. */
export interface CycleNode {
  /** The text that Python gives a node, such as `dict[2]` or `function\nhook`. */
  readonly label: string;
  readonly isTensor: boolean;
  /** Where the tensor was allocated, innermost first; empty where not known. */
  readonly frames: readonly DigestFrame[];
}

/** `from` refers to `to` (indices into the nodes) by an attribute, key, closure or local. */
export interface CycleEdge {
  readonly from: number;
  readonly to: number;
  readonly label: string;
}

/** Python objects that only the garbage collector could free, and the tensors that they held. */
export interface CycleGraph {
  /** Which reader made it, such as `cycleGraph`. */
  readonly format: string;
  readonly fileBytes: Bytes;
  readonly nodes: readonly CycleNode[];
  readonly edges: readonly CycleEdge[];
}
