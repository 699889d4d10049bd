import { LimitError } from '../bytes/limitError.js';
import { SnapshotError } from '../bytes/snapshotError.js';
import { say } from '../text/say.js';
import { FORBIDDEN_OPCODES } from './opcodes.js';
import { damageText, excessText, type Damage, type Excess } from './pickleDamage.js';
import { MOST_INTEGER_BYTES, type PickleLimits } from './pickleLimits.js';

/** What the machine says of one input: its name, what is wrong, where, and what to do. Offsets are those of bytes. */
export class PickleErrors {
  constructor(
    private readonly name: string,
    private readonly limits: PickleLimits,
  ) {}

  otherProtocol(protocol: number): SnapshotError {
    return new SnapshotError(
      'unsupported',
      say(
        '{0} is a pickle of protocol {1}; Leakline reads 2 to 5. Dump it again with _dump_snapshot.',
        this.name,
        protocol,
      ),
    );
  }

  damaged(damage: Damage, offset: number, detail = 0): SnapshotError {
    return new SnapshotError(
      'notASnapshot',
      say(
        '{0} is not a readable pickle: {1} at byte {2}. Dump the snapshot again.',
        this.name,
        damageText(damage, detail),
        offset,
      ),
    );
  }

  /** @param asked how much, where that is known */
  limit(kind: Excess, offset: number, asked: number | null = null): LimitError {
    const most = kind === 'integerBytes' ? MOST_INTEGER_BYTES : this.limits[kind];
    return new LimitError(
      { kind, most, asked, offset },
      say(
        '{0} needs more {1} than Leakline allows, at byte {2}. Record with a smaller max_entries.',
        this.name,
        excessText(kind, asked),
        offset,
      ),
    );
  }

  refused(op: number, offset: number): SnapshotError {
    const forbidden = FORBIDDEN_OPCODES.get(op);
    if (forbidden !== undefined) {
      return new SnapshotError(
        'forbidden',
        say(
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
