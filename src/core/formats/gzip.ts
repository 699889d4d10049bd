import { gunzipSource } from '../bytes/inflatingSource.js';
import type { Format } from './format.js';
import { wrapResult } from './readResult.js';

/** Anything, compressed by gzip. */
export const gzip: Format = {
  id: 'gzip',
  sniff: (head) => head.length >= 2 && head[0] === 0x1f && head[1] === 0x8b,
  read: async (source, context) => wrapResult(await context.readInner(gunzipSource(source)), gzip.id, source.size),
};
