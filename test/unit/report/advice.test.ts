import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { digestSnapshot } from '../../../src/core/digest/digest.js';
import { readInput } from '../../../src/core/formats/readSnapshot.js';
import { buildReport } from '../../../src/core/report/buildReport.js';
import { NO_OTHERS } from '../../../src/core/report/otherInputs.js';
import { renderMarkdown } from '../../../src/core/render/renderMarkdown.js';
import { renderText } from '../../../src/core/render/renderText.js';
import { listPythonFiles } from '../../../src/node/listPythonFiles.js';
import { SourceFiles } from '../../../src/node/sourceFiles.js';
import { bytesSource } from '../../support/bytesSource.js';
import { repositoryRoot } from '../../support/repository.js';
import { CORPUS } from '../../support/snapshots.js';

/** A sentence that a report on a file must have, or must not have, with the reason. */
interface Rule {
  /** In the corpus; `*` stands for every file. */
  file: string;
  rule: 'says' | 'never';
  pattern: RegExp;
  why: string;
}

const ALL = '*';

function rules(): Rule[] {
  const table = readFileSync(join(repositoryRoot(), 'test/unit/report/ADVICE.tsv'), 'utf8');
  return table
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((row) => {
      const [file, rule, pattern, why] = row.split('\t');
      assert.ok(rule === 'says' || rule === 'never', row);
      return { file, rule, pattern: new RegExp(pattern, 'i'), why };
    });
}

/** The report on one file of the corpus: as text, and in all its forms. */
async function textsOf(file: string): Promise<{ text: string; markdown: string }> {
  const path = join(CORPUS, file);
  const result = await readInput(bytesSource(path, readFileSync(path)), {});
  const digests = result.kind === 'snapshot' ? [digestSnapshot(path, result.snapshot)] : [];
  const trends = result.kind === 'trend' ? [{ path, trend: result.trend }] : [];
  const [set, repository] = file.split('/');
  const { lineText, sourceText, sourceFacts } = new SourceFiles([
    { prefix: '', folder: join(CORPUS, set, repository) },
  ]);
  const files = set === 'real' ? await listPythonFiles(join(CORPUS, set, repository)) : [];
  const workspace = { files, rules: [], lineText, sourceText, sourceFacts };
  const { report } = buildReport(digests, workspace, { ...NO_OTHERS, trends });
  return { text: renderText(report, { maxLines: 20 }), markdown: renderMarkdown(report, { maxLines: 20 }) };
}

describe('Reports on snapshots as people have them', () => {
  it('say what the file shows, and nothing that it does not', async function () {
    if (!existsSync(join(CORPUS, 'real'))) {
      console.log('    skipped: no ../shared/corpus/real beside the checkout');
      this.skip();
    }
    this.timeout(120_000);
    const all = rules();
    const named = [...new Set(all.map(({ file }) => file).filter((file) => file !== ALL))];
    assert.ok(named.length >= 40, `${named.length} files`);
    const wrong: string[] = [];
    for (const file of named) {
      const { text, markdown } = await textsOf(file);
      for (const { rule, pattern, why } of all.filter((one) => one.file === file || one.file === ALL)) {
        const isRight = rule === 'says' ? pattern.test(text) : !pattern.test(text) && !pattern.test(markdown);
        if (!isRight) wrong.push(`${file} ${rule} ${String(pattern)}: ${why}`);
      }
    }
    assert.equal(wrong.join('\n'), '');
  });
});
