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

  damaged(damage: Damage, offset: number, detail = 0): SnapshotError {
    return new SnapshotError(
      'notASnapshot',
      t(
        '{0} is not a readable pickle: {1} at byte {2}. Dump the snapshot again.',
        this.name,
        damageText(damage, detail),
        offset,
      ),
    );
  }

  /** @param asked how much, where that is known */
  limit(kind: Excess, offset: number, asked: number | null = null): SnapshotError {
    const said = [this.name, excessText(kind, asked), offset] as const;
    return new SnapshotError(
      'limit',
      OF_ONE_VALUE.has(kind)
        ? t('{0} needs more {1} than Leakline allows, at byte {2}. Dump the snapshot again.', ...said)
        : t('{0} needs more {1} than Leakline allows, at byte {2}. Record with a smaller max_entries.', ...said),
    );
  }

  refused(op: number, offset: number): SnapshotError {
    const forbidden = FORBIDDEN_OPCODES.get(op);
    if (forbidden !== undefined) {
      return new SnapshotError(
        'forbidden',
        t(
          '{0} would run code ({1} at byte {2}), unlike any memory snapshot, and was not read. Dump with ' +
            'torch.cuda.memory._dump_snapshot.',
          this.name,
          forbidden,
          offset,
        ),
        offset,
      );
    }
    return this.damaged('unknownOpcode', offset, op);
  }
}

/** What no pickle has. */
type Damage =
  | 'noHeader'
  | 'secondHeader'
  | 'unknownMemo'
  | 'memoOrder'
  | 'emptyStack'
  | 'noContainer'
  | 'keyWithoutValue'
  | 'endInside'
  | 'unknownOpcode';

/** What a pickle asks for too much of. */
type Excess = 'stackDepth' | 'nesting' | 'memoSlots' | 'memoizedNumbers' | 'textBytes' | 'integerBytes';

/** A shorter recording has such values as well. */
const OF_ONE_VALUE: ReadonlySet<Excess> = new Set(['nesting', 'textBytes', 'integerBytes']);

/** @param detail the slot or opcode, where there is one */
function damageText(damage: Damage, detail: number): string {
  switch (damage) {
    case 'noHeader':
      return t('no protocol header');
    case 'secondHeader':
      return t('a second protocol header');
    case 'unknownMemo':
      return t('an unknown memo slot {0}', detail);
    case 'memoOrder':
      return t('memo slot {0} out of order', detail);
    case 'emptyStack':
      return t('an empty stack');
    case 'noContainer':
      return t('a missing container');
    case 'keyWithoutValue':
      return t('a key without a value');
    case 'endInside':
      return t('an end inside a container');
    case 'unknownOpcode':
      return t('an unknown opcode {0}', `0x${detail.toString(16).padStart(2, '0')}`);
  }
}

/** @param asked how much is requested, where that is known */
function excessText(excess: Excess, asked: number | null): string {
  switch (excess) {
    case 'stackDepth':
      return t('values on the stack');
    case 'nesting':
      return t('open containers');
    case 'memoSlots':
      return t('memo slots');
    case 'memoizedNumbers':
      return t('numbers in its memo');
    case 'textBytes':
      return t('bytes in one string ({0})', asked ?? 0);
    case 'integerBytes':
      return t('bytes in one integer ({0})', asked ?? 0);
  }
}
