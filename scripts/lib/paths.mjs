/** Where things are, for scripts that may be started from any folder. */
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';

export const root = fileURLToPath(new URL('../../', import.meta.url));
export const fromRoot = (...parts) => join(root, ...parts);
