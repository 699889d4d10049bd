/** The pool of everything that is in no CUDA graph and no `MemPool`. */
const DEFAULT_POOL = '0,0';

/** Whether a pool belongs to a CUDA graph or a `MemPool`; false if unknown. @param pool as in `SegmentTable` */
export function isPrivatePool(pool: string | null): boolean {
  return pool !== null && pool !== '' && pool !== DEFAULT_POOL;
}
