import type { ByteSource } from '../bytes/byteSource.js';
import { SnapshotError } from '../bytes/snapshotError.js';
import { readCyclePage } from './cycleGraph.js';
import type { Format, ReadContext } from './format.js';
import { findMark } from './html/findMark.js';
import type { ReadResult } from './readResult.js';
import { readViewerPage } from './viewerPage.js';
import { say } from '../text/say.js';

/** Pages that PyTorch writes: the snapshot viewer's, the cycle detector's, the profiler's picture of a timeline. */
export const html: Format = {
  id: 'html',
  sniff: (head) => {
    let at = head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf ? 3 : 0;
    while (at < head.length && [0x20, 0x09, 0x0a, 0x0d].includes(head[at])) at++;
    return head[at] === 0x3c;
  },
  read,
};

/** What the page of the snapshot viewer begins its data with. */
export const VIEWER = 'local_files = [';
const CYCLES = 'let dot = ';
/** The timeline that PyTorch of 2022 and 2023 drew, with its numbers; a viewer's script has such a name as well. */
const TIMELINE = 'alloc_data = {"';
const PICTURE = 'data:image/png;base64,';

async function read(source: ByteSource, context: ReadContext): Promise<ReadResult> {
  const found = await findMark(source, 0, [VIEWER, CYCLES, TIMELINE, PICTURE]);
  switch (found?.mark) {
    case VIEWER:
      return readViewerPage(source, found.end, context);
    case CYCLES:
      return readCyclePage(source);
    case TIMELINE:
      throw new SnapshotError(
        'unsupported',
        say(
          '{0} is a timeline page of PyTorch from 2022 or 2023: it has no addresses, segments or times. ' +
            'Choose the .pickle that it was drawn from.',
          source.name,
        ),
      );
    case PICTURE:
      throw new SnapshotError(
        'unsupported',
        say(
          '{0} is a page with a picture of memory over time, without the numbers. ' +
            'Export the timeline as .json, or dump a snapshot with torch.cuda.memory._dump_snapshot.',
          source.name,
        ),
      );
    default: {
      const isWhole = (await findMark(source, 0, ['</html>', '</HTML>'])) !== null;
      throw new SnapshotError(
        isWhole ? 'notASnapshot' : 'truncated',
        isWhole
          ? say(
              '{0} is a web page without a memory snapshot. Choose a page saved by torch.cuda._memory_viz.',
              source.name,
            )
          : say(
              '{0} is a web page that ends early: it is still being written or truncated. Wait until it is complete.',
              source.name,
            ),
      );
    }
  }
}
