/** A mistake in the arguments. The message is one sentence that says what to do. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** What to say of an error that is the user's to mend: of the arguments, or of a folder or disk that is written to; null of others. */
export function sentenceOf(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  // Each bundle has a class of its own.
  if (error.name === 'UsageError') return error.message;
  return 'syscall' in error ? `${error.message}. Check the disk and its permissions.` : null;
}
