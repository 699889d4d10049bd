import type { Owner } from '../core/attribution/owner.js';
import type { BandOwner } from '../protocol/bandData.js';

/** An owner as it travels: a line, or the bucket that is in its place. */
export function ownerPlace(owner: Owner): BandOwner {
  return 'bucket' in owner ? { place: null, bucket: owner.bucket } : { place: owner.line, bucket: null };
}
