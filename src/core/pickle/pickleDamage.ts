/** What is wrong with a pickle in words. Made where an error is, so that the machine's loop has no texts in it. */
import { say } from '../text/say.js';

/** What no pickle has. */
export type Damage =
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
export type Excess = 'stackDepth' | 'nesting' | 'memoSlots' | 'memoizedNumbers' | 'textBytes' | 'integerBytes';

/** @param detail the slot or opcode, where there is one */
export function damageText(damage: Damage, detail: number): string {
  switch (damage) {
    case 'noHeader':
      return say('no protocol header');
    case 'secondHeader':
      return say('a second protocol header');
    case 'unknownMemo':
      return say('an unknown memo slot {0}', detail);
    case 'memoOrder':
      return say('memo slot {0} out of order', detail);
    case 'emptyStack':
      return say('an empty stack');
    case 'noContainer':
      return say('a missing container');
    case 'keyWithoutValue':
      return say('a key without a value');
    case 'endInside':
      return say('an end inside a container');
    case 'unknownOpcode':
      return say('an unknown opcode {0}', `0x${detail.toString(16).padStart(2, '0')}`);
  }
}

/** @param asked how much is asked for, where that is known */
export function excessText(excess: Excess, asked: number | null): string {
  switch (excess) {
    case 'stackDepth':
      return say('values on the stack');
    case 'nesting':
      return say('open containers');
    case 'memoSlots':
      return say('memo slots');
    case 'memoizedNumbers':
      return say('numbers in its memo');
    case 'textBytes':
      return say('bytes in one string ({0})', asked ?? 0);
    case 'integerBytes':
      return say('bytes in one integer ({0})', asked ?? 0);
  }
}
