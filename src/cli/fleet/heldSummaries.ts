import { groupBy } from '../../core/maps.js';
import type { Bytes } from '../../core/model/units.js';
import { boundRuns } from '../../core/report/boundReport.js';
import type { FleetFolder, RankGroup } from '../../node/fleetFolder.js';
import { joinedReport, type RankSummary } from './summary.js';

/** A group of digests, to be opened where its summary does not do. */
export interface Group extends RankGroup {
  readonly folder: FleetFolder;
}

export interface GroupSummary {
  readonly group: Group;
  readonly summary: RankSummary;
}

/** Characters of a line, and of a frame of a stack, as JSON, about. */
const LINE = 500;
const FRAME = 100;

/** Summaries of any number of ranks: beyond a total, with the lines of a report only. */
export class HeldSummaries {
  private sound: GroupSummary[] = [];
  private unchecked: GroupSummary[] = [];
  /** Approximate length of `sound` as JSON. */
  private characters = 0;

  /** @param max characters of the report, see `maxCharacters` */
  constructor(private readonly max: number) {}

  get all(): readonly GroupSummary[] {
    return [...this.sound, ...this.unchecked];
  }

  /** Adds a summary that this process made. */
  add(one: GroupSummary): void {
    this.sound.push(one);
    for (const { run } of one.summary.runs)
      for (const { stacks } of run.lines)
        this.characters += LINE + FRAME * stacks.reduce((sum, { frames }) => sum + frames.length, 0);
    if (this.characters > 2 * this.max) this.bound();
  }

  /** Adds a summary from a file, before those of this process. @returns groups whose summaries are invalid */
  addFromFile(one: GroupSummary, size: Bytes): Group[] {
    this.unchecked.push(one);
    this.characters += size;
    if (this.characters <= 2 * this.max) return [];
    const isSound = ({ summary }: GroupSummary): boolean => joinedReport([summary]) !== null;
    const byState = groupBy(this.unchecked, isSound);
    this.sound.push(...(byState.get(true) ?? []));
    this.unchecked = [];
    const invalid: GroupSummary[] = [...(byState.get(false) ?? [])];
    try {
      this.bound();
    } catch {
      // Summaries that can be joined, but not bounded, are all made again.
      invalid.push(...this.sound);
      this.sound = [];
      this.characters = 0;
    }
    return invalid.map(({ group }) => group);
  }

  private bound(): void {
    // The first of equal lines stay, in the order of the report.
    const runs = this.sound.flatMap(({ summary }) => summary.runs.map(({ run }) => run));
    boundRuns(
      runs.sort((a, b) => (a.id < b.id ? -1 : 1)),
      this.max,
    );
    this.characters = this.max;
  }
}
