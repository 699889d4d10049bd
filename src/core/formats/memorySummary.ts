import { SnapshotError } from '../bytes/snapshotError.js';
import type { Format } from './format.js';

/** `torch.cuda.memory_summary()`: a table for people, rounded to its unit. */
export const memorySummary: Format = {
  id: 'memorySummary',
  sniff: (head) => new TextDecoder().decode(head).trimStart().startsWith('|===='),
  read: (source) =>
    Promise.reject(
      new SnapshotError(
        'unsupported',
        `${source.name} is the table of memory_summary(), which says nothing about lines. ` +
          'Dump a snapshot with torch.cuda.memory._dump_snapshot.',
      ),
    ),
};
