import { FleetFolder } from '../../node/fleetFolder.js';
import { UsageError } from '../usageError.js';

/** The folders that `digest` has written to. @throws UsageError for another */
export async function digestFolders(paths: readonly string[]): Promise<FleetFolder[]> {
  for (const path of paths)
    if (!(await FleetFolder.is(path)))
      throw new UsageError(`${path} holds no digests: leakline digest --out writes them.`);
  return paths.map((path) => new FleetFolder(path));
}
