/** Real recordings, one for each kind of finding that the surfaces show. */
import { join } from 'node:path';
import { digestSnapshot } from '../../../src/core/digest/digest.js';
import type { Report } from '../../../src/core/report/report.js';
import { ReportsFromSources } from '../../../src/core/report/sources/reportFromSources.js';
import { listPythonFiles } from '../../../src/node/listPythonFiles.js';
import { readRecording } from '../../../src/node/recordingFile.js';
import { SourceFiles } from '../../../src/node/sourceFiles.js';
import { repositoryRoot } from '../../support/repository.js';
import { FIXTURES, picklesUnder, readFile } from '../../support/snapshots.js';

const EXAMPLE = join(repositoryRoot(), 'examples/detector');
const PLANTED = join(FIXTURES, 'planted');

/** A recording with the workspace that it is opened in. */
interface Recording {
  readonly folder: string;
  readonly snapshots: readonly string[];
  /** Files that the workspace has, all of the folder if left out. */
  readonly files?: readonly string[];
}

/** By the title in the golden. */
export const CASES: Readonly<Record<string, Recording>> = {
  'A leak with a holder and a fix': { folder: EXAMPLE, snapshots: picklesUnder(join(EXAMPLE, 'snapshots')) },
  'A leak that four lines of two files allocate': planted('aux_loss'),
  'A leak whose holder is in a library': planted('feature_bank'),
  'A leak whose allocating file is not in the workspace': {
    ...planted('aux_loss'),
    files: ['corpus/aux_loss/train.py'],
  },
  'A line that grows, unconfirmed': planted('searched_index'),
  'A reference cycle': planted('node_cycle'),
  'An allocation that failed': {
    folder: PLANTED,
    snapshots: [join(FIXTURES, 'shapes/multidevice_oom.pickle')],
  },
  'The peak of a single snapshot': {
    folder: join(FIXTURES, 'categories'),
    snapshots: [join(FIXTURES, 'categories/adam_forward.pickle.gz')],
  },
};

function planted(name: string): Recording {
  return { folder: PLANTED, snapshots: picklesUnder(join(PLANTED, 'recordings', name)) };
}

/** The report that editor and command line show. Paths of snapshots begin at the root of the repository. */
export async function reportOf({ folder, snapshots, files }: Recording): Promise<Report> {
  const digests = await Promise.all(
    snapshots.map(async (path) =>
      digestSnapshot(path.slice(repositoryRoot().length + 1), await readFile(path), await readRecording(path)),
    ),
  );
  const { lineText, sourceText, sourceFacts } = new SourceFiles([{ prefix: '', folder }]);
  const workspace = { files: files ?? (await listPythonFiles(folder)), rules: [], lineText, sourceText, sourceFacts };
  return (await new ReportsFromSources().report(digests, workspace)).report;
}
