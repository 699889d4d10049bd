import type { ByteSource } from '../../bytes/byteSource.js';
import { readFully } from '../../bytes/readFully.js';
import { SnapshotError } from '../../bytes/snapshotError.js';
import { wouldRunCode } from '../../pickle/pickleErrors.js';
import { t } from '../../text/translate.js';

/** Names of modules and classes are this long at most. */
const MAX_NAME = 128;
/** GLOBAL with its two names, each to the end of its line. */
const GLOBAL = /^c([\w.]{1,128})\n([\w.]{1,128})\n/;
/** Two short texts, memoized or not, that STACK_GLOBAL takes. */
const STACK_GLOBAL = /\x8c([^])([\w.]{1,128})\x94?\x8c([^])([\w.]{1,128})\x94?$/;

/**
 * Explains a pickle that was rejected because it names code: often a saved model, or NumPy numbers in a snapshot.
 * @returns the error itself if the name is unavailable
 */
export async function explained(source: ByteSource, error: SnapshotError): Promise<SnapshotError> {
  const { offset } = error;
  if (error.reason !== 'forbidden' || offset === null) return error;
  const name = await nameAt(source, offset);
  if (name === null) return error;
  const where = t('{0} at byte {1}', name, offset);
  switch (name.slice(0, name.indexOf('.'))) {
    case 'torch':
      return checkpoint(source, where);
    case 'numpy':
      return new SnapshotError(
        'forbidden',
        t(
          '{0} contains NumPy values ({1}), unlike any memory snapshot, and was not read. ' +
            'If it was made from a snapshot, dump that with torch.cuda.memory._dump_snapshot.',
          source.name,
          where,
        ),
        offset,
      );
    default:
      return wouldRunCode(source.name, name, offset);
  }
}

/** A model or its weights from `torch.save`. @param where the class found in it, null if unknown */
export function checkpoint(source: ByteSource, where: string | null): SnapshotError {
  return new SnapshotError(
    'notASnapshot',
    t(
      '{0} is a saved model or checkpoint{1}, not a memory snapshot. ' +
        'Choose a file made by torch.cuda.memory._dump_snapshot.',
      source.name,
      where === null ? '' : ` (${where})`,
    ),
  );
}

/** The module and name of the opcode at a place, null if they are not beside it. */
async function nameAt(source: ByteSource, offset: number): Promise<string | null> {
  const from = Math.max(0, offset - 2 * (MAX_NAME + 3));
  const bytes = await readFully(source, from, offset - from + 2 * (MAX_NAME + 1) + 1);
  const text = String.fromCharCode(...bytes);
  const behind = GLOBAL.exec(text.slice(offset - from));
  if (behind !== null) return `${behind[1]}.${behind[2]}`;
  const before = STACK_GLOBAL.exec(text.slice(0, offset - from));
  if (before === null) return null;
  const [, moduleLength, module, nameLength, name] = before;
  const fits = moduleLength.charCodeAt(0) === module.length && nameLength.charCodeAt(0) === name.length;
  return fits ? `${module}.${name}` : null;
}
