import { basename } from '../../core/text/pathText.js';

/** A sentence about a file without the path that it begins with, for a row that shows the file's name. */
export function sentenceWithout(path: string, sentence: string): string {
  return sentence.startsWith(`${path} `) ? sentence.slice(path.length + 1) : sentence;
}

/** A sentence about a file that begins with its name instead of its path: a message has room for one line. */
export function sentenceNaming(path: string, sentence: string): string {
  const rest = sentenceWithout(path, sentence);
  return rest === sentence ? `${basename(path)}: ${sentence}` : `${basename(path)} ${rest}`;
}

/** The error message for users. */
export function sentenceOf(error: unknown): string {
  if (typeof error === 'object' && error !== null && 'message' in error && typeof error.message === 'string') {
    return error.message;
  }
  return String(error);
}
