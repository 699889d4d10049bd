/** The curve over all snapshots of a run: the timeline's overview. */
import type { RunCurve as JoinedCurve } from '../core/analysis/runCurve.js';

export interface RunCurveQuery {
  /** Any snapshot of the run. */
  path: string;
  device: number;
  /** Width of the overview; at most four points come back per pixel and snapshot. */
  pixels: number;
}

export interface RunCurve extends JoinedCurve {
  path: string;
  device: number;
}

export type { BeforePart, RunPart } from '../core/analysis/runCurve.js';
