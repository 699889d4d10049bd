import { base64Source } from '../bytes/base64Source.js';
import type { ByteSource } from '../bytes/byteSource.js';
import { readFully } from '../bytes/readFully.js';
import { sliceSource } from '../bytes/sliceSource.js';
import { SnapshotError } from '../bytes/snapshotError.js';
import type { ReadContext } from './format.js';
import { findMark, type FoundMark } from './html/findMark.js';
import { wrapResult, type ReadResult } from './readResult.js';

const FORMAT = 'memoryViz';
const BASE64 = ['"base64": "', '"base64":"'];

/**
 * A page of `torch.cuda._memory_viz trace_plot` or `segment_plot`: snapshots as base64 text in a list. PyTorch writes
 * one; of several the first is read, and a warning says how many there are.
 * @param from offset behind the start of the list
 * @throws SnapshotError
 */
export async function readViewerPage(source: ByteSource, from: number, context: ReadContext): Promise<ReadResult> {
  const start = await nextSnapshot(source, from);
  if (start === null) {
    throw new SnapshotError('truncated', `${source.name} ends before its snapshot. Save the page again.`);
  }
  const end = await endOf(source, start);
  const padding = (await readFully(source, Math.max(start.end, end - 2), Math.min(2, end - start.end))).filter(
    (byte) => byte === 0x3d,
  ).length;
  const snapshot = base64Source(sliceSource(source, start.end, end - start.end), padding);
  let others = 0;
  for (let next = await nextSnapshot(source, end); next !== null; others++) {
    next = await nextSnapshot(source, await endOf(source, next));
  }
  const result = wrapResult(await context.readInner(snapshot), FORMAT, source.size);
  if (others === 0 || result.kind !== 'snapshot') return result;
  const warning = {
    code: 'moreSnapshots',
    message: `This page holds ${others + 1} snapshots, of which the first is shown: save each into a page or pickle of its own.`,
  };
  return { kind: 'snapshot', snapshot: { ...result.snapshot, warnings: [...result.snapshot.warnings, warning] } };
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
    `${source.name} ends inside its snapshot: it is still being written or was cut short. Leakline reads it when it changes.`,
  );
}
