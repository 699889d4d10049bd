/** A frame in words. */
export interface DigestFrame {
  file: string;
  /** 1-based, -1 where not known. */
  line: number;
  function: string;
}
