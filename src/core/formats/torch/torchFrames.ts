import type { DigestFrame } from '../../model/digestFrame.js';
import { getOrAdd } from '../../maps.js';
import { Growable } from '../../model/growable.js';
import { EMPTY_STACK, NO_INDEX, NO_STACK, UNKNOWN_LINE } from '../../model/snapshot.js';
import type { SnapshotBuilder } from '../../model/snapshotBuilder.js';
import type { FrameId, StackId, StringId } from '../../model/units.js';
import { Kind, makeRef, PAYLOAD_BITS, PAYLOAD_MASK, type Ref, type ValueStack } from '../../pickle/values.js';
import { fileKind } from '../fileKind.js';
import { parseProfilerFrame } from '../profilerFrame.js';
import type { TorchObjects } from './torchObjects.js';
import { checkedPayload, Torch, tooManyMentions, tooManyObjects } from './torchValue.js';
import { Word } from './torchWords.js';

const CAPTURE_BITS = makeRef(Torch.Capture, 0);

/** Writers put 1,000 frames of a longer stack into a part: so many times its frames are looked at again, and some more. */
const MAX_AGAIN = 16;
const FREE_AGAIN = 1 << 22;
/** Maximum number of frames of all different stacks together where stacks are put together from others. */
const MAX_FRAMES = 1 << 26;

/** Frames and stacks. A list of frames becomes a capture: the identity by which a block knows its allocation. */
export class TorchFrames {
  /** The model's own frames behind a frame of generated code, innermost first. */
  readonly behind = new Map<FrameId, readonly FrameId[]>();
  /** True after a frame of the profiler: its line is where the function begins. */
  namesFunctions = false;
  private readonly joined = new Growable(Uint32Array);
  /** Frames that were appended to lists that had some, and those that they had. */
  private appended = 0;
  private again = 0;
  /** Frames of lists of texts. */
  private mentioned = 0;
  private readonly ofTraceback = new Map<StringId, readonly FrameId[]>();
  /** Native stacks with Python ones behind them, by both. */
  private readonly ofPair = new Map<StackId, Map<StackId, StackId>>();
  /** Whether the lines of a file are offsets. */
  private readonly areOffsets = new Map<StringId, boolean>();

  constructor(
    private readonly builder: SnapshotBuilder,
    private readonly objects: TorchObjects,
    private readonly name: string,
  ) {}

  /** A dictionary with a `filename`. */
  frame(stack: ValueStack, from: number, to: number): Ref {
    const { ref } = stack;
    let name = 0;
    let file = 0;
    let line = UNKNOWN_LINE;
    let trace = 0;
    for (let i = from; i < to; i += 2) {
      const value = i + 1;
      const isText = ref[value] >>> PAYLOAD_BITS === Kind.Text;
      switch (ref[i] & PAYLOAD_MASK) {
        case Word.name:
          if (isText) name = ref[value] & PAYLOAD_MASK;
          break;
        case Word.filename:
          if (isText) file = ref[value] & PAYLOAD_MASK;
          break;
        case Word.line:
          line = stack.number(value);
          break;
        case Word.fx_original_trace:
          if (isText) trace = ref[value] & PAYLOAD_MASK;
          break;
      }
    }
    if (file === Word.none) return makeRef(Torch.Frame, this.profilerFrame(name));
    // Lines count from 1. Native code without one has 0, libraries have an offset.
    const known = line > 0 && !this.linesAreOffsets(file) ? line : UNKNOWN_LINE;
    const id = checkedPayload(this.builder.frames.intern(name, file, known), this.name);
    if (trace !== 0 && !this.behind.has(id)) this.keepBehind(id, trace);
    return makeRef(Torch.Frame, id);
  }

  /** Frames that are appended to a list, the first of it or more. */
  capture(list: Ref, ref: Int32Array, from: number, to: number): Ref {
    if (list >>> PAYLOAD_BITS === Kind.EmptyList) {
      return this.newCapture(this.builder.stacks.intern(ref, from, to, PAYLOAD_MASK));
    }
    if (list >>> PAYLOAD_BITS === Torch.Capture) return this.longerCapture(list, ref, from, to);
    return this.objects.append(list, ref, from, to);
  }

  /** A list of its own that holds the frames of a stack. */
  newCapture(stack: StackId): Ref {
    const capture = this.builder.captures.add(stack);
    if (capture > PAYLOAD_MASK) throw tooManyObjects(this.name);
    return CAPTURE_BITS | capture;
  }

  /** @returns the capture that a value is, `NO_INDEX` if it is none */
  captureOf(value: Ref): number {
    return value >>> PAYLOAD_BITS === Torch.Capture ? value & PAYLOAD_MASK : NO_INDEX;
  }

  /** The stack that a value under `frames` stands for. */
  stackOf(value: Ref): StackId {
    if (value >>> PAYLOAD_BITS === Torch.Capture) return this.builder.captures.stack[value & PAYLOAD_MASK];
    return value >>> PAYLOAD_BITS === Kind.EmptyList ? EMPTY_STACK : NO_STACK;
  }

  /** The forward pass's stack of a backward allocation: a list of traceback text. */
  tracebackStack(list: Ref): StackId {
    return this.stackOfList(list, (texts) => texts.reverse().map((text) => this.traceback(text)));
  }

  /** Native frames of releases before 2.1, a list of function names beside the Python frames. */
  nativeStack(list: Ref): StackId {
    const { strings, frames } = this.builder;
    const file = strings.internText('??');
    return this.stackOfList(list, (names) => names.map((name) => [frames.intern(name, file, UNKNOWN_LINE)]));
  }

  /** The native frames of a call, then its Python frames. */
  joinedStack(native: StackId, python: StackId): StackId {
    if (native <= EMPTY_STACK) return python;
    const ofNative = getOrAdd(this.ofPair, native, () => new Map<StackId, StackId>());
    return getOrAdd(ofNative, python, () => {
      const { stacks } = this.builder;
      this.joined.length = 0;
      stacks.appendTo(this.joined, native);
      stacks.appendTo(this.joined, python);
      const pair = stacks.intern(this.joined.data, 0, this.joined.length, PAYLOAD_MASK);
      if (stacks.frameCount > MAX_FRAMES) throw tooManyMentions(this.name, 'stack');
      return pair;
    });
  }

  /** A stack of more than 1,000 frames comes in parts. */
  private longerCapture(list: Ref, ref: Int32Array, from: number, to: number): Ref {
    const capture = list & PAYLOAD_MASK;
    const { stacks, captures } = this.builder;
    this.joined.length = 0;
    stacks.appendTo(this.joined, captures.stack[capture]);
    this.again += this.joined.length;
    this.appended += to - from;
    if (this.again > MAX_AGAIN * this.appended + FREE_AGAIN) throw tooManyMentions(this.name, 'stack');
    for (let i = from; i < to; i++) this.joined.push(ref[i] & PAYLOAD_MASK);
    captures.stack[capture] = stacks.intern(this.joined.data, 0, this.joined.length, PAYLOAD_MASK);
    return list;
  }

  /** `_profile_to_snapshot` writes file `none`, line 0 and everything else into the name. */
  private profilerFrame(name: number): FrameId {
    const frame = parseProfilerFrame(this.builder.strings.text(name));
    this.namesFunctions ||= frame !== null;
    const id = frame === null ? this.builder.frames.intern(name, 0, UNKNOWN_LINE) : this.textFrame(frame);
    return checkedPayload(id, this.name);
  }

  private keepBehind(id: FrameId, trace: StringId): void {
    const frames = this.traceback(trace);
    if (frames.length > 0) this.behind.set(id, frames);
  }

  /** The frames of a traceback's text, innermost first. Many frames and entries may mention one text. */
  private traceback(text: StringId): readonly FrameId[] {
    return getOrAdd(this.ofTraceback, text, () =>
      parseTraceback(this.builder.strings.text(text)).map((frame) => this.textFrame(frame)),
    );
  }

  private stackOfList(list: Ref, framesOf: (texts: StringId[]) => readonly (readonly FrameId[])[]): StackId {
    const object = this.objects.get(list);
    if (object?.type !== 'list') return NO_STACK;
    // Entries may mention the same list: it is looked at once, and again when it has grown.
    const items = object.items.length;
    if (object.readAs?.items !== items) {
      object.readAs = { items, stack: this.stackOfFrames(framesOf(this.objects.texts(list))) };
    }
    return object.readAs.stack;
  }

  private stackOfFrames(parts: readonly (readonly FrameId[])[]): StackId {
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    if (length === 0) return NO_STACK;
    this.mentioned += length;
    if (this.mentioned > MAX_FRAMES) throw tooManyMentions(this.name, 'stack');
    // A hostile file of long texts takes a sixth of the time of `flat` and `from`.
    const frames = new Uint32Array(length);
    let at = 0;
    for (const part of parts) {
      frames.set(part, at);
      at += part.length;
    }
    return this.builder.stacks.intern(frames, 0, length, PAYLOAD_MASK);
  }

  private textFrame(frame: DigestFrame): FrameId {
    const { strings, frames } = this.builder;
    return frames.intern(strings.internText(frame.function), strings.internText(frame.file), frame.line);
  }

  private linesAreOffsets(file: StringId): boolean {
    return getOrAdd(this.areOffsets, file, () => fileKind(this.builder.strings.text(file)) === 'binary');
  }
}

const FRAME_LINE = /File "([^"\n]+)", line (\d{1,9}), in ([^\n]+)/g;

/**
 * Reads a traceback, outermost first: `  File "a.py", line 3, in forward\n    y = f(x)\n`. @returns frames innermost
 * first
 */
function parseTraceback(text: string): DigestFrame[] {
  const frames: DigestFrame[] = [];
  for (const match of text.matchAll(FRAME_LINE)) {
    frames.push({ file: match[1], line: Number(match[2]), function: match[3].trim() });
  }
  return frames.reverse();
}
