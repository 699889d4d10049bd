import { deserialize, serialize } from 'node:v8';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { SnapshotDigest } from '../core/digest/digest.js';
import type { KeepBytes } from '../node/spillFile.js';

/** The weakest: it takes a third of the time of the usual one. */
const LEVEL = 1;

/**
 * Keeps the large parts of a digest compressed, in place: to all that hold it, it is the same digest, only slower. Of a
 * run of a thousand dumps reports look at the latest, and of the others at facts that are known.
 * @param keep where the compressed parts are
 */
export function packDigest(digest: SnapshotDigest, keep: KeepBytes): void {
  pack(digest, ['frames', 'groups', 'blocks', 'lifetimes', 'peaks', 'spans'], keep);
  // What the curve of the run needs.
  pack(digest, ['curves'], keep);
  pack(digest.segments, ['places'], keep);
}

function pack<Whole extends object>(whole: Whole, names: readonly (keyof Whole)[], keep: KeepBytes): void {
  const packed = keep(Uint8Array.from(deflateRawSync(serialize(names.map((name) => whole[name])), { level: LEVEL })));
  let unpacked: WeakRef<unknown[]> | null = null;
  names.forEach((name, place) => {
    const get = (): unknown => {
      let parts = unpacked?.deref();
      if (parts === undefined) {
        parts = deserialize(inflateRawSync(packed())) as unknown[];
        unpacked = new WeakRef(parts);
      }
      return parts[place];
    };
    Object.defineProperty(whole, name, { get, enumerable: true, configurable: true });
  });
}
