import { LimitError } from '../../bytes/limitError.js';
import { countText } from '../../text/numberText.js';
import { t } from '../../text/translate.js';
import { fields, numbersOf, type Field } from './protobuf.js';

/** A frame of a profile; the line is 0 where not known. */
export interface ProfileFrame {
  readonly name: string;
  readonly file: string;
  readonly line: number;
}

/** The values of one stack. */
export interface ProfileSample {
  /** Innermost first. */
  readonly frames: readonly ProfileFrame[];
  /** One per type of the profile. */
  readonly values: readonly number[];
  readonly labels: ReadonlyMap<string, string>;
}

interface Profile {
  /** The quantity of each value, such as `space`. */
  readonly types: readonly string[];
  readonly samples: readonly ProfileSample[];
}

/** Frames of all samples: a few bytes name a location, and a location many frames. */
const MAX_FRAMES = 1 << 22;

/** Table of the fields of a pprof `Profile` and the messages in it, as far as they matter here. */
const PROFILE = {
  sampleType: 1,
  sample: 2,
  location: 4,
  function: 5,
  text: 6,
} as const;
const VALUE_TYPE = { type: 1 } as const;
const SAMPLE = { locations: 1, values: 2, labels: 3 } as const;
const LABEL = { key: 1, text: 2 } as const;
const LOCATION = { id: 1, lines: 4 } as const;
const LINE = { function: 1, line: 2 } as const;
const FUNCTION = { id: 1, name: 2, file: 4 } as const;

/**
 * Reads an unpacked pprof profile of Go or JAX.
 * @param name of the input, for messages
 * @throws SnapshotError `truncated`, `notASnapshot` or `limit`
 */
export function parseProfile(bytes: Uint8Array, name: string): Profile {
  const top = fields(bytes, name);
  const decoder = new TextDecoder();
  const texts = top.filter((field) => field.id === PROFILE.text).map((field) => decoder.decode(field.bytes));
  const text = (index: number): string => texts[index] ?? '';
  const messages = (parent: readonly Field[], id: number): Field[][] =>
    parent.filter((field) => field.id === id).map((field) => fields(field.bytes, name));

  const functions = new Map(
    messages(top, PROFILE.function).map((entry) => [
      numberIn(entry, FUNCTION.id),
      {
        name: text(numberIn(entry, FUNCTION.name)),
        file: text(numberIn(entry, FUNCTION.file)),
      },
    ]),
  );
  // A location is several frames where calls were inlined.
  const locations = new Map(
    messages(top, PROFILE.location).map((location) => [
      numberIn(location, LOCATION.id),
      messages(location, LOCATION.lines).map((line): ProfileFrame => {
        const called = functions.get(numberIn(line, LINE.function)) ?? {
          name: '',
          file: '',
        };
        return { ...called, line: numberIn(line, LINE.line) };
      }),
    ]),
  );
  let mentioned = 0;
  const framesOf = (ids: readonly number[]): ProfileFrame[] => {
    const frames: ProfileFrame[] = [];
    for (const id of ids) {
      const inlined = locations.get(id) ?? [];
      mentioned += inlined.length;
      if (mentioned > MAX_FRAMES) throw tooManyFrames(name);
      for (const frame of inlined) frames.push(frame);
    }
    return frames;
  };
  return {
    types: messages(top, PROFILE.sampleType).map((type) => text(numberIn(type, VALUE_TYPE.type))),
    samples: messages(top, PROFILE.sample).map((sample) => ({
      frames: framesOf(numbersOf(sample, SAMPLE.locations, name)),
      values: numbersOf(sample, SAMPLE.values, name),
      labels: new Map(
        messages(sample, SAMPLE.labels).map((label) => [
          text(numberIn(label, LABEL.key)),
          text(numberIn(label, LABEL.text)),
        ]),
      ),
    })),
  };
}

function tooManyFrames(name: string): LimitError {
  return new LimitError(
    { kind: 'mentions', most: MAX_FRAMES, asked: null, offset: null },
    t('{0} names more than {1} frames in its stacks. Save a smaller profile.', name, countText(MAX_FRAMES)),
  );
}

function numberIn(message: readonly Field[], id: number): number {
  return message.find((field) => field.id === id)?.value ?? 0;
}
