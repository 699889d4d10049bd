import { countText } from './numberText.js';

/** `3 snapshots`, for the terminal and for SARIF, which are English. */
export function plural(count: number, noun: string): string {
  return `${countText(count)} ${noun}${count === 1 ? '' : 's'}`;
}
