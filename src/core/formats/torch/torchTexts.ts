import { getOrAdd } from '../../maps.js';
import type { StringPool } from '../../model/stringPool.js';
import type { StringId } from '../../model/units.js';
import { Kind, PAYLOAD_BITS, PAYLOAD_MASK, type Ref, type ValueStack } from '../../pickle/values.js';
import type { TorchObject, TorchObjects } from './torchObjects.js';
import { checkedPayload, integerText, isNumber } from './torchValue.js';
import { Word } from './torchWords.js';

/** Texts of the program or the compiler on trace entries. */
export class TorchTexts {
  /** Texts of dictionaries that were set as metadata: many entries may mention one. */
  private readonly ofDict = new Map<TorchObject, StringId>();

  constructor(
    private readonly strings: StringPool,
    private readonly objects: TorchObjects,
    private readonly name: string,
  ) {}

  /** Metadata is text by convention; other values are written as JSON. */
  metadata(stack: ValueStack, at: number): StringId {
    const ref = stack.ref[at];
    if (ref >>> PAYLOAD_BITS === Kind.Text) return ref & PAYLOAD_MASK;
    if (isNumber(ref >>> PAYLOAD_BITS)) return this.intern(integerText(stack, at));
    const object = this.objects.get(ref);
    if (object?.type !== 'dict') return Word.empty;
    return getOrAdd(this.ofDict, object, () => this.intern(JSON.stringify(this.objects.settings(object))));
  }

  /** `N/A` means that no compiled region ran. */
  compileContext(ref: Ref): StringId {
    const text = ref & PAYLOAD_MASK;
    return ref >>> PAYLOAD_BITS === Kind.Text && text !== Word.not_available ? text : Word.empty;
  }

  private intern(text: string): StringId {
    return checkedPayload(this.strings.internText(text), this.name);
  }
}
