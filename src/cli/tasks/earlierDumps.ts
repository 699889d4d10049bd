import { digestSnapshot, type SnapshotDigest } from '../../core/digest/digest.js';
import { LeftOut, outlineBefore } from '../../core/runs/outline.js';
import { patternOf } from '../../core/runs/runNames.js';
import { readContents, readInputs, type Contents, type CommandContext, type DigestOf, type Input } from '../inputs.js';

/**
 * Reads the last of similarly named files first: for earlier snapshots of its process, a report needs only outlines.
 */
export class EarlierDumps {
  /** The digest of the last dump with a trace, by the pattern of names. */
  private readonly later = new Map<string, SnapshotDigest>();
  /** Paths. */
  private readonly outlined = new Set<string>();

  constructor(
    private readonly inputs: readonly Input[],
    private readonly context: CommandContext,
    private readonly rankPattern: RegExp | null,
  ) {}

  read(): Promise<Contents> {
    // Made for two inputs or more: it takes some milliseconds.
    let names: Intl.Collator | null = null;
    const order = [...this.inputs].sort((a, b) =>
      (names ??= new Intl.Collator('en', { numeric: true })).compare(b.path, a.path),
    );
    return readInputs(this.inputs, this.context, this.rankPattern, (input) => this.readOne(input), order);
  }

  /** @param contents as read; `report` can request complete digests in place of outlines */
  async report<Result>(contents: Contents, report: () => Promise<Result>): Promise<Result> {
    try {
      return await report();
    } catch (error) {
      if (!(error instanceof LeftOut)) throw error;
    }
    const inputs = this.inputs.filter(({ path }) => this.outlined.has(path));
    const { digests, failed } = await readInputs(inputs, this.context, this.rankPattern);
    const whole = contents.digests.flatMap((digest) =>
      this.outlined.has(digest.path) ? digests.filter(({ path }) => path === digest.path) : [digest],
    );
    contents.digests.splice(0, Infinity, ...whole);
    contents.failed.push(...failed);
    return report();
  }

  private async readOne(input: Input): Promise<Contents> {
    const family = patternOf(input.path);
    const later = this.later.get(family);
    const digestOf: DigestOf = (path, snapshot, recording, savedAtUs, tookEvents) => {
      const of = [path, snapshot, recording, savedAtUs] as const;
      // Several snapshots in one file need not be of one process.
      const isOnly = of[0] === input.path;
      const outline = later === undefined || !isOnly ? null : outlineBefore(later, ...of, tookEvents);
      if (outline !== null) this.outlined.add(input.path);
      else if (tookEvents) return null;
      return outline ?? digestSnapshot(...of);
    };
    const contents = await readContents(input, this.rankPattern, digestOf, later !== undefined);
    const traced = contents.digests.find(({ eventCount }) => eventCount > 0);
    if (later === undefined && traced !== undefined) this.later.set(family, traced);
    return contents;
  }
}
