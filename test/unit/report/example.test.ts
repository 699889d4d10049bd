import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { digestSnapshot } from '../../../src/core/digest/digest.js';
import { findingsOf } from '../../../src/core/report/findings.js';
import { isSuspect } from '../../../src/core/report/lineSelection.js';
import { ReportsFromSources } from '../../../src/core/report/sources/reportFromSources.js';
import { listPythonFiles } from '../../../src/node/listPythonFiles.js';
import { SourceFiles } from '../../../src/node/sourceFiles.js';
import { repositoryRoot } from '../../support/repository.js';
import { picklesUnder, readFile } from '../../support/snapshots.js';
import { applied } from '../../support/sourceEdits.js';

const folder = join(repositoryRoot(), 'examples/detector');

describe('The example', () => {
  it('has one finding, the statement that fills the list, and a fix that stores copies on the CPU', async () => {
    const digests = await Promise.all(
      picklesUnder(join(folder, 'snapshots')).map(async (path) => digestSnapshot(path, await readFile(path), null)),
    );
    const { lineText, sourceText, sourceFacts } = new SourceFiles([{ prefix: '', folder }]);
    const files = await listPythonFiles(folder);
    const { report } = await new ReportsFromSources().report(digests, {
      ...{ files, rules: [], lineText, sourceText, sourceFacts },
    });
    const [finding, ...others] = findingsOf(report.runs[0].lines.filter(isSuspect));
    assert.deepEqual(others, []);
    assert.deepEqual([finding.file, finding.line, finding.lines[0].line], ['detector/pyramid.py', 18, 16]);
    const edit = finding.holder?.edit;
    assert.ok(edit != null, 'there is an edit');
    const before = readFileSync(join(folder, edit.file), 'utf8');
    assert.equal(
      applied(edit, before).text,
      before.replace('self.visited.append(level)', 'self.visited.append(level.detach().cpu())'),
    );
  });
});
