import { base64Source } from '../bytes/base64Source.js';
import type { ByteSource } from '../bytes/byteSource.js';
import { readFully } from '../bytes/readFully.js';
import { sliceSource } from '../bytes/sliceSource.js';
import { SnapshotError } from '../bytes/snapshotError.js';
import type { ReadContext } from './format.js';
import { findMark, type FoundMark } from './html/findMark.js';
import { oneOf, wrapResult, type ReadResult } from './readResult.js';
import { MOST_SNAPSHOTS, tooManySnapshots } from './snapshotCount.js';
import { say } from '../text/say.js';

const FORMAT = 'memoryViz';
const BASE64 = ['"base64": "', '"base64":"'];

/**
 * A page of `torch.cuda._memory_viz trace_plot` or `segment_plot`: snapshots as base64 text in a list. PyTorch writes
 * one, people put several into a page.
 * @param from offset behind the start of the list
 * @throws SnapshotError
 */
export async function readViewerPage(source: ByteSource, from: number, context: ReadContext): Promise<ReadResult> {
  const found: { start: number; end: number }[] = [];
  for (let next = await nextSnapshot(source, from); next !== null;) {
    const end = await endOf(source, next);
    found.push({ start: next.end, end });
    if (found.length > MOST_SNAPSHOTS) throw tooManySnapshots(source.name);
    next = await nextSnapshot(source, end);
  }
  if (found.length === 0) {
    throw new SnapshotError('truncated', say('{0} ends before its snapshot. Save the page again.', source.name));
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
    say(
      '{0} ends inside its snapshot: it is still being written or truncated. Wait until it is complete.',
      source.name,
    ),
  );
}
