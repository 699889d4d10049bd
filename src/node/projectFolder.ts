/** The folder of the code where no root is given. */
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { recordedFolders } from '../core/formats/recordingSidecar.js';
import { isFolder } from './makeFolder.js';
import { readSidecar } from './recordingFile.js';
import { recordedBeside } from './recordingPath.js';
import { isWithin, walkFiles } from './walkFiles.js';

/**
 * The folder that the recorded program ran in, if it is here, else the current folder. Null where that is the home or the
 * root of the file system: searching either can take minutes, and each holds more than a project.
 * @param inputs snapshots and folders of them: of several recordings, the last counts
 */
export async function projectFolder(inputs: readonly string[]): Promise<string | null> {
  for (const input of [...inputs].reverse()) {
    const sidecar = await anySidecar(input);
    if (sidecar === null) continue;
    const { folders, main } = recordedFolders(sidecar);
    for (const folder of folders)
      if (isProject(folder) && (main === null || isWithin(main, folder)) && (await isFolder(folder))) return folder;
  }
  const current = process.cwd();
  return isProject(current) ? current : null;
}

/** The text of a sidecar of a snapshot, or of any below a folder; null if there is none. */
async function anySidecar(input: string): Promise<string | null> {
  if (!(await isFolder(input))) return readSidecar(input);
  for await (const { path } of walkFiles(input, (name) => recordedBeside(name).length > 0)) {
    const [snapshot] = recordedBeside(join(input, path));
    return readSidecar(snapshot);
  }
  return null;
}

function isProject(folder: string): boolean {
  return isAbsolute(folder) && folder !== dirname(folder) && folder !== homedir();
}
