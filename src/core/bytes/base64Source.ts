import type { ByteSource } from './byteSource.js';
import { readFully } from './readFully.js';
import { SnapshotError } from './snapshotError.js';
import { say } from '../text/say.js';

const INVALID = 255;
const VALUES = makeValues();

function makeValues(): Uint8Array {
  const values = new Uint8Array(256).fill(INVALID);
  const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  for (let i = 0; i < digits.length; i++) values[digits.charCodeAt(i)] = i;
  return values;
}

/**
 * What a base64 text without line breaks decodes to.
 * @param text the whole text, with its padding if it has one. Reading throws SnapshotError at a foreign character.
 */
export function base64Source(text: ByteSource, padding: number): ByteSource {
  const digits = text.size - padding;
  const size = Math.floor((digits * 3) / 4);
  return {
    name: text.name,
    size,
    unfolding: text.unfolding,
    async read(offset, into) {
      const wanted = Math.max(0, Math.min(into.length, size - offset));
      if (wanted === 0) return 0;
      // Four digits are three bytes: start at the quartet that holds the first byte.
      const firstQuartet = Math.floor(offset / 3);
      const lastQuartet = Math.floor((offset + wanted - 1) / 3);
      const from = firstQuartet * 4;
      const quartets = await readFully(text, from, Math.min((lastQuartet + 1) * 4, digits) - from);
      let skip = offset - firstQuartet * 3;
      let filled = 0;
      for (let i = 0; i < quartets.length && filled < wanted; i += 4) {
        let bits = 0;
        for (let digit = 0; digit < 4; digit++) {
          const value = i + digit < quartets.length ? VALUES[quartets[i + digit]] : 0;
          if (value === INVALID) {
            throw new SnapshotError(
              'notASnapshot',
              say(
                '{0} holds damaged base64 text, {1} characters into it. Save the page again.',
                text.name,
                from + i + digit,
              ),
            );
          }
          bits = (bits << 6) | value;
        }
        for (let shift = 16; shift >= 0 && filled < wanted; shift -= 8) {
          if (skip > 0) skip--;
          else into[filled++] = (bits >> shift) & 255;
        }
      }
      return filled;
    },
  };
}
