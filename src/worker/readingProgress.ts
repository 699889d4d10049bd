import type { EventColumns } from '../core/model/eventColumns.js';
import { CurveSoFar } from '../core/timeline/curveSoFar.js';
import type { ReadProgress } from '../protocol/timelineData.js';

/** A picture that fills in five steps a second looks alive. */
const PACE_MS = 200;
const NOTHING = new Float64Array();

/** Tells of a file that is being read, occasionally and at its end. */
export class ReadingProgress {
  private sentMs = Number.NEGATIVE_INFINITY;
  private curve: CurveSoFar | null = null;
  private from: number | null = null;

  constructor(private readonly send: (progress: ReadProgress) => void) {}

  /** The trace begins: its columns will be filled. */
  begin(columns: EventColumns): void {
    this.curve = new CurveSoFar(columns);
  }

  /** @param fraction of the file that was read */
  follow(fraction: number): void {
    const nowMs = performance.now();
    if (nowMs < this.sentMs + PACE_MS && fraction < 1) return;
    this.sentMs = nowMs;
    const live = this.curve?.read() ?? NOTHING;
    // Blocks stand before the trace in a file.
    if (live.length > 0) this.from ??= fraction;
    this.send({ fraction, from: this.from ?? fraction, live });
  }
}
