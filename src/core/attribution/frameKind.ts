import { recordedKind } from '../model/recordedFile.js';

/** Who wrote the code of a frame: a user, a library (or a generator of code), or none in Python. */
export type FrameKind = 'user' | 'library' | 'native';

/** Classifies a frame by its recorded file. Notebook code has no file, and belongs to the user. */
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
