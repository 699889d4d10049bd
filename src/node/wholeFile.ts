import { open, rename, rm, type FileHandle } from 'node:fs/promises';

/**
 * Writes a file that is complete or absent.
 * @param part is written first, and removed after a failure
 */
export async function writeWhole(
  path: string,
  part: string,
  write: (file: FileHandle) => Promise<unknown>,
  mode = 0o666,
): Promise<void> {
  try {
    const file = await open(part, 'wx', mode);
    try {
      await write(file);
    } finally {
      await file.close();
    }
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true }).catch(() => undefined);
    throw error;
  }
}
