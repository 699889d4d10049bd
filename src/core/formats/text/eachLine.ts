import type { ByteSource } from '../../bytes/byteSource.js';
import { SnapshotError } from '../../bytes/snapshotError.js';
import { t } from '../../text/translate.js';

const DEFAULT_CHUNK = 1 << 20;
const MAX_LINE = 1 << 16;

/** The encoding of a text by its byte order mark: PowerShell redirects as UTF-16. */
export function textDecoder(head: Uint8Array): TextDecoder {
  return new TextDecoder(head[0] === 0xff && head[1] === 0xfe ? 'utf-16le' : 'utf-8');
}

/** The first character of a text that is no white space, as JSON knows it; empty without one. */
export function firstCharacter(head: Uint8Array): string {
  return /[^ \t\n\r]/.exec(new TextDecoder().decode(head))?.[0] ?? '';
}

/**
 * Passes on each line of a text, without its end.
 * @param onLine `isWhole` is false for a last line without an end: the file may still be written
 * @throws SnapshotError `notASnapshot` if a line is longer than in any log
 */
export async function eachLine(
  source: ByteSource,
  onLine: (line: string, isWhole: boolean) => void,
  chunkSize = DEFAULT_CHUNK,
): Promise<void> {
  const buffer = new Uint8Array(Math.max(2, chunkSize));
  let decoder: TextDecoder | null = null;
  let rest = '';
  for (let position = 0; ;) {
    const got = await source.read(position, buffer);
    if (got === 0) break;
    if (decoder === null) {
      const head = new Uint8Array(2);
      await source.read(0, head);
      decoder = textDecoder(head);
    }
    position += got;
    const lines = (rest + decoder.decode(buffer.subarray(0, got), { stream: true })).split(/\r?\n/);
    rest = lines.pop() ?? '';
    if (rest.length > MAX_LINE) {
      throw new SnapshotError(
        'notASnapshot',
        t('{0} has a line of more than {1} characters, unlike any log. Choose another file.', source.name, MAX_LINE),
      );
    }
    for (const line of lines) onLine(line, true);
  }
  const last = rest + (decoder?.decode() ?? '');
  if (last !== '') onLine(last.replace(/\r$/, ''), false);
}
