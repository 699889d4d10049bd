import { deserialize, serialize } from 'node:v8';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { SnapshotDigest } from '../core/digest/digest.js';
import { sharing } from '../core/model/equal.js';
import type { StoreBytes, StoredBytes } from '../node/spillFile.js';

const PARTS = ['files', 'frames', 'groups', 'blocks', 'segments', 'steps', 'lifetimes', 'peaks', 'spans'] as const;
type Large = Pick<SnapshotDigest, (typeof PARTS)[number]>;
/** What the curve of the run needs. */
type Curves = SnapshotDigest['curves'];
type Small = Omit<SnapshotDigest, keyof Large | 'curves'>;

/** A digest whose large parts can be packed: to all that hold it, it is the same digest, only slower. */
export type StoredDigest = Small & Large & LargeParts;

/** @param before another one, mostly of the same run: equal parts of both are the same objects */
export function storedDigest(digest: SnapshotDigest, before: StoredDigest | null = null): StoredDigest {
  const { files, frames, groups, blocks, segments, steps, lifetimes, peaks, spans, curves, ...rest } = digest;
  const large = { files, frames, groups, blocks, segments, steps, lifetimes, peaks, spans };
  // A list from another thread has room for 16 items.
  const small: Small = { ...rest, devices: [...rest.devices], warnings: [...rest.warnings] };
  return Object.assign(
    new LargeParts(new Packable(large), new Packable(curves)),
    before === null ? small : sharing(small, before),
  ) as StoredDigest; // the getters of the large parts are defined below
}

/** Their getters are the class's: a property of its own for each part would take more than all that stays of a digest. */
class LargeParts {
  static {
    for (const part of PARTS) {
      Object.defineProperty(this.prototype, part, {
        get(this: LargeParts): Large[typeof part] {
          return this.parts.value[part];
        },
      });
    }
  }

  constructor(
    private readonly parts: Packable<Large>,
    private readonly curve: Packable<Curves>,
  ) {}

  get curves(): Curves {
    return this.curve.value;
  }

  get isPacked(): boolean {
    return this.parts.isPacked;
  }

  /**
   * Keeps the large parts compressed. Of a run of a thousand dumps reports look at the latest, and of the others at
   * facts that are known.
   * @param keep where the compressed parts are
   */
  pack(keep: StoreBytes): void {
    this.parts.pack(keep);
    this.curve.pack(keep);
  }
}

/** The weakest: it takes a third of the time of the usual one. */
const LEVEL = 1;

/**
 * Packed parts whose values are in memory, the latest last. Weak references would keep a value until the end of the
 * job, and a report that joins a thousand dumps is one job.
 */
const unpacked: Packable<object>[] = [];
const MAX_UNPACKED = 8;

class Packable<Value extends object> {
  private packed: StoredBytes | null = null;

  /** @param held the value; null while only the packed one is there */
  constructor(private held: Value | null) {}

  get isPacked(): boolean {
    return this.packed !== null;
  }

  get value(): Value {
    if (this.held !== null) return this.held;
    this.held = deserialize(inflateRawSync(this.packed?.read() ?? new Uint8Array())) as Value;
    unpacked.push(this);
    if (unpacked.length > MAX_UNPACKED) unpacked.shift()?.release();
    return this.held;
  }

  pack(keep: StoreBytes): void {
    if (this.packed !== null) return;
    this.packed = keep(Uint8Array.from(deflateRawSync(serialize(this.held), { level: LEVEL })));
    this.held = null;
  }

  private release(): void {
    this.held = null;
  }
}
