import type { ByteSource } from '../bytes/byteSource.js';
import { SnapshotError } from '../bytes/snapshotError.js';
import { readCyclePage } from './cycleGraph.js';
import type { Format, ReadContext } from './format.js';
import { findMark, type FoundMark } from './html/findMark.js';
import { type ReadResult, oneOf, wrapResult } from './readResult.js';
import type { Bytes } from '../model/units.js';
import { t } from '../text/translate.js';
import { readFully } from '../bytes/readFully.js';
import { sliceSource } from '../bytes/sliceSource.js';
import { expectFewSnapshots } from './limits.js';
import { firstCharacter } from './text/eachLine.js';

const INVALID = 255;
const VALUES = makeValues();

const FORMAT = 'memoryViz';
const BASE64 = ['"base64": "', '"base64":"'];

/** Pages that PyTorch writes: the snapshot viewer's, the cycle detector's, the profiler's picture of a timeline. */
export const html: Format = {
  id: 'html',
  sniff: (head) => firstCharacter(head) === '<',
  read,
};

/** The start of the data in the snapshot viewer's page. */
export const VIEWER = 'local_files = [';
const CYCLES = 'let dot = ';
/** The timeline that PyTorch of 2022 and 2023 drew, with its numbers; a viewer's script has such a name as well. */
const TIMELINE = 'alloc_data = {"';
const PICTURE = 'data:image/png;base64,';

/** The data of all pages begins in their first kilobytes, and their end is in the last ones. */
const MAX_HEAD: Bytes = 1 << 24;
const TAIL: Bytes = 1 << 16;

async function read(source: ByteSource, context: ReadContext): Promise<ReadResult> {
  const found = await findMark(source, 0, [VIEWER, CYCLES, TIMELINE, PICTURE], MAX_HEAD);
  switch (found?.mark) {
    case VIEWER:
      return readViewerPage(source, found.end, context);
    case CYCLES:
      return readCyclePage(source);
    case TIMELINE:
      throw new SnapshotError(
        'unsupported',
        t(
          '{0} is a timeline page of PyTorch from 2022 or 2023: it has no addresses, segments or times. ' +
            'Choose the .pickle that it was drawn from.',
          source.name,
        ),
      );
    case PICTURE:
      throw new SnapshotError(
        'unsupported',
        t(
          '{0} is a page with a picture of memory over time, without the numbers. ' +
            'Export the timeline as .json, or dump a snapshot with torch.cuda.memory._dump_snapshot.',
          source.name,
        ),
      );
    default: {
      // Compressed pages have no known size.
      const tail = Number.isFinite(source.size) ? source.size - TAIL : 0;
      const isWhole = (await findMark(source, tail, ['</html>', '</HTML>'])) !== null;
      throw new SnapshotError(
        isWhole ? 'notASnapshot' : 'truncated',
        isWhole
          ? t(
              '{0} is a web page without a memory snapshot. Choose a page saved by torch.cuda._memory_viz.',
              source.name,
            )
          : t(
              '{0} is a web page that ends early: it is still being written or truncated. Wait until it is complete.',
              source.name,
            ),
      );
    }
  }
}

/**
 * A page of `torch.cuda._memory_viz`, with one snapshot or several as a list of base64 strings.
 * @param from offset after the start of the list
 * @throws SnapshotError
 */
async function readViewerPage(source: ByteSource, from: number, context: ReadContext): Promise<ReadResult> {
  const found: { start: number; end: number }[] = [];
  for (let next = await nextSnapshot(source, from); next !== null;) {
    const end = await endOf(source, next);
    found.push({ start: next.end, end });
    expectFewSnapshots(source.name, found.length);
    next = await nextSnapshot(source, end);
  }
  if (found.length === 0) {
    throw new SnapshotError('truncated', t('{0} ends before its snapshot. Save the page again.', source.name));
  }
  const { start, end } = found[Math.min(context.member, found.length - 1)];
  const last = await readFully(source, Math.max(start, end - 2), Math.min(2, end - start));
  const padding = last.filter((byte) => byte === 0x3d).length;
  const snapshot = base64Source(sliceSource(source, start, end - start), padding);
  const result = found.length === 1 ? await context.readInner(snapshot) : await context.readMember(snapshot);
  return wrapResult(oneOf(result, found.length), FORMAT, source.size);
}

/** The next text of base64 in the list, null behind the end of its script. */
async function nextSnapshot(source: ByteSource, from: number): Promise<FoundMark | null> {
  const found = await findMark(source, from, [...BASE64, '</script>']);
  return found === null || found.mark === '</script>' ? null : found;
}

async function endOf(source: ByteSource, snapshot: FoundMark): Promise<number> {
  const quote = await findMark(source, snapshot.end, ['"']);
  if (quote !== null) return quote.start;
  throw new SnapshotError(
    'truncated',
    t('{0} ends inside its snapshot: it is still being written or truncated. Wait until it is complete.', source.name),
  );
}

function makeValues(): Uint8Array {
  const values = new Uint8Array(256).fill(INVALID);
  const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  for (let i = 0; i < digits.length; i++) values[digits.charCodeAt(i)] = i;
  return values;
}

/**
 * The bytes of a base64 text without line breaks. @param text all of it. Reading throws SnapshotError at invalid
 * characters.
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
              t(
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
