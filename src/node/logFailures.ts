import { createReadStream } from 'node:fs';
import { dirname } from 'node:path';
import { textDecoder } from '../core/formats/text/eachLine.js';
import { FailureList } from '../core/oom/explanation.js';
import { FailureReader } from '../core/oom/failureReader.js';
import { rankByPattern, rankOf } from '../core/attribution/paths/pathRank.js';

/** The out-of-memory messages of a log. @param path null for standard input @throws Error of the file system */
export async function logFailures(
  path: string | null,
  onHead: (head: Uint8Array) => void = () => undefined,
): Promise<FailureList> {
  const failures = new FailureList();
  const reader = new FailureReader((failure) => failures.add(failure));
  const stream = path === null ? createReadStream('', { fd: 0, autoClose: false }) : createReadStream(path);
  let decoder: TextDecoder | null = null;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    if (decoder === null) {
      decoder = textDecoder(chunk);
      onHead(chunk);
    }
    reader.push(decoder.decode(chunk, { stream: true }));
  }
  reader.end();
  return failures;
}

/** The rank of a log, and what names its job: logs of several ranks in one folder are of one job. */
export function jobOfLog(path: string, pattern: RegExp | null = null): { rank: number | null; job: string } {
  const rank = rankByPattern(path, pattern) ?? rankOf(path);
  return { rank, job: rank === null ? path : `ranks in ${dirname(path)}` };
}
