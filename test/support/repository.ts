/** The repository that is tested, also seen from bundles that run elsewhere. */
import { resolve } from 'node:path';

/** `LEAKLINE_ROOT`, set for tests that run inside VS Code; otherwise the folder where the suite was started. */
export function repositoryRoot(): string {
  return resolve(process.env['LEAKLINE_ROOT'] ?? '.');
}
