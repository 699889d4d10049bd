import { deserialize, serialize } from 'node:v8';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { SnapshotDigest } from '../core/digest/digest.js';

/** The weakest: it takes a third of the time of the usual one. */
const LEVEL = 1;

/**
 * Keeps the large parts of a digest compressed, in place: to all that hold it, it is the same digest, only slower. Of a
 * run of a thousand dumps reports look at the latest, and of the others at facts that are known.
 */
export function packDigest(digest: SnapshotDigest): void {
  pack(digest, ['frames', 'groups', 'blocks', 'lifetimes', 'peaks', 'spans']);
  // What the curve of the run needs.
  pack(digest, ['curves']);
  pack(digest.segments, ['places']);
}

function pack<Whole extends object>(whole: Whole, names: readonly (keyof Whole)[]): void {
  const packed = Uint8Array.from(deflateRawSync(serialize(names.map((name) => whole[name])), { level: LEVEL }));
  let unpacked: WeakRef<unknown[]> | null = null;
  names.forEach((name, place) => {
    const get = (): unknown => {
      let parts = unpacked?.deref();
      if (parts === undefined) {
        parts = deserialize(inflateRawSync(packed)) as unknown[];
        unpacked = new WeakRef(parts);
      }
      return parts[place];
    };
    Object.defineProperty(whole, name, { get, enumerable: true, configurable: true });
  });
}
