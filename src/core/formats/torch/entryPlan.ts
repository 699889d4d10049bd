import { Kind, makeRef, PAYLOAD_BITS, PAYLOAD_MASK } from '../../pickle/values.js';
import { Word } from './torchWords.js';

const ACTION_KEY = makeRef(Kind.Text, Word.action);

/** The places of values in trace entries with equal keys, 0 if missing. */
export class EntryPlan {
  action = 0;
  addr = 0;
  size = 0;
  stream = 0;
  timeUs = 0;
  frames = 0;
  metadata = 0;
  compileContext = 0;

  /**
   * Examines the keys of an entry, in the even cells.
   * @returns false for keys to be read one by one: another kind of entry, a repeated key, or several kinds of stacks
   */
  make(ref: Int32Array, keys: number): boolean {
    this.action = this.addr = this.size = this.stream = this.timeUs = this.frames = 0;
    this.metadata = this.compileContext = 0;
    if (keys === 0 || ref[0] !== ACTION_KEY) return false;
    for (let i = 0; i < 2 * keys; i += 2) {
      if (ref[i] >>> PAYLOAD_BITS !== Kind.Text) return false;
      const field = fieldOf(ref[i] & PAYLOAD_MASK);
      if (field === null) return false;
      if (field === 'none') continue;
      if (this[field] !== 0) return false;
      this[field] = i + 1;
    }
    return true;
  }
}

/** The field of a key, `none` for one that entries make nothing of, null for one with more than the plan knows. */
function fieldOf(word: number): Exclude<keyof EntryPlan, 'make'> | 'none' | null {
  switch (word) {
    case Word.action:
      return 'action';
    case Word.addr:
      return 'addr';
    case Word.size:
      return 'size';
    case Word.stream:
      return 'stream';
    case Word.time_us:
      return 'timeUs';
    case Word.frames:
      return 'frames';
    case Word.user_metadata:
      return 'metadata';
    case Word.compile_context:
      return 'compileContext';
    case Word.forward_frames:
    case Word.cpp_frames:
    case Word.category:
    case Word.device_free:
      return null;
    default:
      return 'none';
  }
}
