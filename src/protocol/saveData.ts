/** Data that the page saves as a file. */

export const SAVED_KINDS = ['png', 'csv'] as const;
export type SavedKind = (typeof SAVED_KINDS)[number];

/** Bytes of a file at most. */
export const MAX_SAVED = 64 * 1024 * 1024;

export interface SavedFile {
  /** The file name without its extension. */
  name: string;
  kind: SavedKind;
  content: Uint8Array;
}
