/** The curve over all snapshots of a run: the timeline's overview. */
import type { RunCurve as JoinedCurve } from '../core/runs/runCurve.js';
import type { RunStep } from '../core/runs/runSteps.js';
import type { OfDevice, TimelineAxis } from './timelineData.js';

export interface RunCurveQuery {
  /** Any snapshot of the run. */
  path: string;
  device: number;
  /** Events if a snapshot has no time. */
  axis: TimelineAxis;
  /** Width of the overview; at most four points come back per pixel and snapshot. */
  pixels: number;
}

export interface RunCurve extends JoinedCurve, OfDevice {
  /** Steps that begin, as many as can be distinguished. */
  steps: RunStep[];
}

export type { BeforePart, RunPart } from '../core/runs/runCurve.js';
export type { RunStep } from '../core/runs/runSteps.js';
