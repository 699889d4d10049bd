import { SnapshotError } from '../bytes/snapshotError.js';
import { t } from '../text/translate.js';
import { FORBIDDEN_OPCODES } from './opcodes.js';

/** What the machine says of one input: its name, what is wrong, where, and what to do. Offsets are those of bytes. */
export class PickleErrors {
  constructor(private readonly name: string) {}

  otherProtocol(protocol: number): SnapshotError {
    return new SnapshotError(
      'unsupported',
      t(
        '{0} is a pickle of protocol {1}; Leakline reads 2 to 5. Dump it again with _dump_snapshot.',
        this.name,
        protocol,
      ),
    );
  }

  damaged(damage: keyof ReturnType<typeof damageTexts>, offset: number, detail = 0): SnapshotError {
    return new SnapshotError(
      'notASnapshot',
      t(
        '{0} is not a readable pickle: {1} at byte {2}. Dump the snapshot again.',
        this.name,
        damageTexts(detail)[damage],
        offset,
      ),
    );
  }

  /** @param asked how much, where that is known */
  limit(kind: Excess, offset: number, asked = 0): SnapshotError {
    const said = [this.name, excessTexts(asked)[kind], offset] as const;
    return new SnapshotError(
      'limit',
      OF_ONE_VALUE.has(kind)
        ? t('{0} needs more {1} than Leakline allows, at byte {2}. Dump the snapshot again.', ...said)
        : t('{0} needs more {1} than Leakline allows, at byte {2}. Record with a smaller max_entries.', ...said),
    );
  }

  refused(op: number, offset: number): SnapshotError {
    const forbidden = FORBIDDEN_OPCODES.get(op);
    if (forbidden !== undefined) return wouldRunCode(this.name, forbidden, offset);
    return this.damaged('unknownOpcode', offset, op);
  }
}

/** @param name of the input @param code that the opcode at the offset names */
export function wouldRunCode(name: string, code: string, offset: number): SnapshotError {
  return new SnapshotError(
    'forbidden',
    t(
      '{0} would run code ({1} at byte {2}), unlike any memory snapshot, and was not read. Dump with ' +
        'torch.cuda.memory._dump_snapshot.',
      name,
      code,
      offset,
    ),
    offset,
  );
}

/** What no pickle has. @param detail the slot or opcode, where there is one */
function damageTexts(detail: number) {
  return {
    noHeader: t('no protocol header'),
    secondHeader: t('a second protocol header'),
    unknownMemo: t('an unknown memo slot {0}', detail),
    memoOrder: t('memo slot {0} out of order', detail),
    emptyStack: t('an empty stack'),
    noContainer: t('a missing container'),
    keyWithoutValue: t('a key without a value'),
    endInside: t('an end inside a container'),
    unknownOpcode: t('an unknown opcode {0}', `0x${detail.toString(16).padStart(2, '0')}`),
  };
}

/** What a pickle asks for too much of. @param asked how much, where that is known */
function excessTexts(asked: number) {
  return {
    stackDepth: t('values on the stack'),
    nesting: t('open containers'),
    memoSlots: t('memo slots'),
    memoizedNumbers: t('numbers in its memo'),
    textBytes: t('bytes in one string ({0})', asked),
    integerBytes: t('bytes in one integer ({0})', asked),
  };
}

type Excess = keyof ReturnType<typeof excessTexts>;

/** A shorter recording has such values as well. */
const OF_ONE_VALUE: ReadonlySet<Excess> = new Set(['nesting', 'textBytes', 'integerBytes']);
