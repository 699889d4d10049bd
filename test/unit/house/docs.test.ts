/** The documents' own promises. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { suites } from '../../../scripts/lib/suites.mjs';
import { helpText } from '../../../src/cli/helpText.js';
import { repositoryRoot } from '../../support/repository.js';

const root = repositoryRoot();
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const documents = [
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
  'recorder/README.md',
  'bench/README.md',
];

describe('The documents', () => {
  it('docs/cli.md has the help as it is now; `npm run docs` writes it', () => {
    assert.ok(read('docs/cli.md').includes(`\`\`\`text\n${helpText(null)}\`\`\``), 'run: npm run docs');
  });

  it('name both commands in README.md', () => {
    for (const command of ['npm start', 'npm test']) assert.ok(read('README.md').includes(`\`${command}\``), command);
  });

  it('link to files that exist', () => {
    const broken = documents.flatMap((document) =>
      [...read(document).matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)[^)]*\)/g)]
        .filter(([, target]) => !existsSync(join(root, dirname(document), target)))
        .map(([, target]) => `${document}: ${target}`),
    );
    assert.deepEqual(broken, []);
  });

  it('stay short: README 250 lines, CONTRIBUTING 6 kB, the changes of a release a screen', () => {
    assert.ok(read('README.md').split('\n').length <= 250, 'README.md');
    assert.ok(read('CONTRIBUTING.md').length <= 6000, 'CONTRIBUTING.md');
    const releases = read('CHANGELOG.md').split(/^## /m).slice(1);
    assert.deepEqual(
      releases.filter((release) => release.split('\n').length > 66).map((release) => release.split('\n')[0]),
      [],
    );
  });

  it('name one version everywhere, the newest of the changelog', () => {
    const { version } = JSON.parse(read('package.json')) as { version: string };
    const versions = [
      /"version": "(.+)"/.exec(read('package-lock.json')),
      /VERSION = '(.+)'/.exec(read('recorder/leakline_recorder/version.py')),
      /^version = "(.+)"/m.exec(read('recorder/pyproject.toml')),
      /^## \[(\d.*)\] - \d{4}-\d\d-\d\d$/m.exec(read('CHANGELOG.md')),
    ].map((found) => found?.[1]);
    assert.deepEqual(versions, Array<string>(versions.length).fill(version));
  });

  it('name suites that exist: the workflow runs each of them once', () => {
    const matrix = /suites: (\[.*\])/.exec(read('.github/workflows/test.yml'))?.[1] ?? '[]';
    const named = (JSON.parse(matrix.replaceAll("'", '"')) as string[]).flatMap((some) => some.split(' '));
    assert.deepEqual(named.sort(), suites.flatMap(({ name, onDemand = false }) => (onDemand ? [] : [name])).sort());
  });
});
