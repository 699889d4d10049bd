/** A mistake in the arguments, with a message for users. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The message for an error that the user can correct: an argument, a folder or a disk. Else null. */
export function usageSentence(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  // Each bundle has its own copy of the class.
  if (error.name === 'UsageError') return error.message;
  return 'syscall' in error ? `${error.message}. Check the disk and its permissions.` : null;
}
