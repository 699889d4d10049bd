import { realpath } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { UsageError } from '../usageError.js';

/** The folders that an agent may read. */
export class Roots {
  private constructor(
    private readonly root: string,
    private readonly real: readonly string[],
  ) {}

  /** @throws UsageError if one is not there */
  static async of(root: string, folders: readonly string[]): Promise<Roots> {
    const real = [root, ...folders].map((folder) =>
      realpath(folder).catch(() => {
        throw new UsageError(`There is no folder ${folder}: name that of the workspace, or of recordings.`);
      }),
    );
    return new Roots(root, await Promise.all(real));
  }

  /**
   * A file or folder below one of them, links followed.
   * @param path absolute, or relative to the root
   * @throws Error with one sentence
   */
  async allowed(path: string): Promise<string> {
    const asked = isAbsolute(path) ? path : resolve(this.root, path);
    // A share of another machine would be asked for the file.
    if (/^[\\/]{2}/.test(path) || path.includes('\0')) throw new Error(this.refusal(path));
    const real = await realpath(asked).catch(() => null);
    if (real === null || !this.real.some((folder) => isWithin(real, folder))) throw new Error(this.refusal(path));
    return real;
  }

  private refusal(path: string): string {
    return `${JSON.stringify(path)} is no file below ${this.real.join(' or ')}: name one that is, or start the server with its folder.`;
  }
}

function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}
