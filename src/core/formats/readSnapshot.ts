import type { ByteSource } from '../bytes/byteSource.js';
import { observedSource } from '../bytes/observedSource.js';
import { readFully } from '../bytes/readFully.js';
import { SnapshotError } from '../bytes/snapshotError.js';
import { memberPath } from '../model/memberPath.js';
import type { Snapshot } from '../model/snapshot.js';
import { cycleDot } from './cycleGraph.js';
import type { Format, ReadContext, ReadOptions } from './format.js';
import { gzip } from './gzip.js';
import { html } from './html.js';
import { json } from './json.js';
import { memorySummary } from './memorySummary.js';
import { nvidiaSmi } from './nvidiaSmi.js';
import type { OtherResult, ReadResult } from './readResult.js';
import { torchPickle } from './torchPickle.js';
import { torchSaveLegacy } from './torchSaveLegacy.js';
import { zip } from './zip.js';
import { byteText } from '../text/numberText.js';
import { t } from '../text/translate.js';

/** Every kind of input, in the order of the checks. */
const FORMATS: readonly Format[] = [
  torchSaveLegacy,
  torchPickle,
  gzip,
  zip,
  // Before JSON: text before a table may begin with a bracket.
  memorySummary,
  nvidiaSmi,
  json,
  html,
  cycleDot,
];

/** The header of a table may be long. */
const HEAD_BYTES = 512;

/** A pickle in a page in a zip that is gzipped; deeper nesting is made to tire us. */
const MAX_CONTAINERS = 4;

/** Reads an input of any known kind. @throws SnapshotError with a message for users */
export function readInput(source: ByteSource, options: ReadOptions = {}): Promise<ReadResult> {
  return readKind(observedSource(source, options), options, 0);
}

/** One of the results of an input, under its own name. */
interface NamedResult {
  /** The input's name; with the snapshot's place in it where it holds several. */
  readonly path: string;
  readonly result: ReadResult;
}

/** Reads all snapshots of an input: a saved page may hold several. @throws SnapshotError as `readInput` */
export async function* readAll(source: ByteSource, options: ReadOptions = {}): AsyncGenerator<NamedResult> {
  let members = 1;
  // One time for all of them: a few bytes may name many.
  const observed = observedSource(source, options);
  for (let member = 0; member < members; member++) {
    const result = await readKind(observed, { ...options, member }, 0);
    members = result.kind === 'snapshot' ? (result.members ?? 1) : 1;
    yield { path: memberPath(source.name, member, members), result };
  }
}

/**
 * Reads a snapshot of any known kind. @throws SnapshotError as `readInput`, and `unsupported` for inputs without one
 */
export async function readSnapshot(source: ByteSource, options: ReadOptions = {}): Promise<Snapshot> {
  const result = await readInput(source, options);
  if (result.kind === 'snapshot') return result.snapshot;
  throw noSnapshot(source.name, result);
}

/** The error for another kind of input than a snapshot. */
export function noSnapshot(name: string, result: OtherResult): SnapshotError {
  return new SnapshotError(
    'unsupported',
    result.kind === 'trend'
      ? t(
          '{0} shows how much memory was held over time ({1}), but not by which lines. ' +
            'Record with torch.cuda.memory._record_memory_history and dump a snapshot.',
          name,
          result.trend.format,
        )
      : t(
          '{0} is a graph of reference cycles ({1}), not a memory snapshot. ' +
            'Choose a file made by torch.cuda.memory._dump_snapshot.',
          name,
          result.cycles.format,
        ),
  );
}

/** The beginning of a dictionary or list, and its memo opcode. */
function looksLikeOldPickle(head: Uint8Array): boolean {
  return /^(?:\([dl]p\d|[}\]]q)/.test(String.fromCharCode(...head.subarray(0, 4)));
}

/** A file of Git LFS that only names its content. */
const POINTER = /^version https:\/\/git-lfs\.github\.com\/spec\/v1\n(?:[a-z0-9.-]+ .*\n)*?size (\d{1,15})\n/;
/** Repositories keep models as such files, and their pointers stand for no snapshot. */
const MODEL = /\.(?:pth?|bin)$/i;

/** The error for a file that only names its content, null for other files. */
function lfsPointer(name: string, head: Uint8Array): SnapshotError | null {
  const match = POINTER.exec(String.fromCharCode(...head));
  if (match === null) return null;
  return new SnapshotError(
    MODEL.test(name) ? 'notASnapshot' : 'pointer',
    t(
      '{0} is a Git LFS pointer; the snapshot itself ({1}) is not here. Run `git lfs pull`.',
      name,
      byteText(Number(match[1])),
    ),
  );
}

async function readKind(source: ByteSource, options: ReadOptions, depth: number): Promise<ReadResult> {
  const head = await readFully(source, 0, Math.min(HEAD_BYTES, source.size));
  if (head.length === 0) {
    throw new SnapshotError(
      'truncated',
      t(
        '{0} is empty: it is still being written, or its dump was interrupted. Wait until it is complete.',
        source.name,
      ),
    );
  }
  if (head.length === 1) {
    throw new SnapshotError(
      'truncated',
      t('{0} ends early: it is still being written or truncated. Wait until it is complete.', source.name),
    );
  }
  const pointer = lfsPointer(source.name, head);
  if (pointer !== null) throw pointer;
  const format = FORMATS.find((candidate) => candidate.sniff(head));
  if (format === undefined && looksLikeOldPickle(head)) {
    throw new SnapshotError(
      'notASnapshot',
      t(
        '{0} looks like a pickle of protocol 0 or 1; Leakline reads 2 to 5. ' +
          'Dump it again with torch.cuda.memory._dump_snapshot.',
        source.name,
      ),
    );
  }
  if (format === undefined) {
    throw new SnapshotError(
      'notASnapshot',
      t(
        '{0} is not a memory snapshot: it starts neither like a pickle of protocol 2 to 5 nor like a container of one. ' +
          'Choose a file made by torch.cuda.memory._dump_snapshot.',
        source.name,
      ),
    );
  }
  const readNested = (inner: ByteSource, member: number): Promise<ReadResult> => {
    if (depth + 1 >= MAX_CONTAINERS) {
      throw new SnapshotError(
        'limit',
        t(
          '{0} has {1} layers of compression, more than Leakline unpacks. Unpack it first.',
          source.name,
          MAX_CONTAINERS,
        ),
      );
    }
    return readKind(inner, { ...options, member }, depth + 1);
  };
  const member = options.member ?? 0;
  const context: ReadContext = {
    ...options,
    member,
    // A container cannot be read from its end.
    mayTakeEvents: options.mayTakeEvents === true && depth === 0,
    readInner: (inner) => readNested(inner, member),
    readMember: (inner) => readNested(inner, 0),
  };
  return format.read(source, context);
}
