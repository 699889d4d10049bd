import { recordedKind } from '../model/recordedFile.js';

/** Who wrote the code of a frame: a user, a library (or a generator of code), or none in Python. */
export type FrameKind = 'user' | 'library' | 'native';

/** Judges a frame by its file as recorded. What a person types into a notebook has no file, and is theirs all the same. */
export function frameKind(file: string): FrameKind {
  switch (recordedKind(file)) {
    case 'user':
    case 'interactive':
      return 'user';
    case 'library':
    case 'generated':
      return 'library';
    case 'native':
      return 'native';
  }
}
