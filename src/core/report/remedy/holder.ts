import type { HolderReport } from '../report.js';

/** How to release what a holder keeps: in one sentence, and as an edit if one is safe. */
export type Remedy = Pick<HolderReport, 'fix' | 'edit'>;

/** The object that holds a line's memory, and the statement that stores into it. */
export type Holder = Omit<HolderReport, keyof Remedy>;
