/** The commands in the documents: each is run, or read by the parser of its program. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArguments } from '../../../src/cli/parseArguments.js';
import { recordAnswer } from '../../../src/cli/mcp/serve.js';
import { hasPython } from '../../support/bruteForce.js';
import { repositoryRoot } from '../../support/repository.js';
import { FIXTURES } from '../../support/snapshots.js';
import { runHere } from '../cli/runHere.js';

const root = repositoryRoot();
const documents = [
  'README.md',
  'CONTRIBUTING.md',
  'recorder/README.md',
  'skills/leakline/SKILL.md',
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];
/** Programs of others. */
const FOREIGN = /^(?:git|cd|mv|aws|pip install out\/packages\/)/;
const OURS =
  /(?:^|[\s"])(?:leakline|node dist\/cli\.js) (?!(?:run|attach|detach|dump|holders)\b)(?<args>[a-z][a-z-]*(?: [^|&;]*)?)/;
const RECORDER = /(?:leakline run|python(?:3)? (?:\S*\/)?leakline_recorder|-m leakline_recorder)(?<args> [^|&;]*)?/;
/** Commands of the Python package on a process that runs. */
const ATTACHING = /leakline (?<args>(?:attach|detach|dump|holders) [^|&;]*)/;
const SCRIPT = /^npm (?:run )?(?<name>[\w:]+)(?: |$)/;

interface Command {
  readonly document: string;
  readonly text: string;
}

/** Lines of the blocks that a shell reads, in YAML its scripts. */
function blocksOf(document: string): Command[] {
  const text = readFileSync(join(root, document), 'utf8');
  const lines = [...text.matchAll(/^```(bash|yaml)\n([\s\S]*?)^```$/gm)].flatMap(([, kind, block]) =>
    kind === 'bash' ? block.split('\n') : [...block.matchAll(/- run: (.+)/g)].flatMap(([, run]) => run.split(' && ')),
  );
  return lines
    .map((line) => line.replace(/(?:^|\s+)#.*$/, '').trim())
    .filter((line) => line !== '')
    .map((line) => ({ document, text: line }));
}

/** Code in sentences and tables that begins as a command with arguments. */
function spansOf(document: string): Command[] {
  const text = readFileSync(join(root, document), 'utf8').replace(/^```[\s\S]*?^```$/gm, '');
  return [...text.matchAll(/`((?:leakline|python3?|torchrun|npm|node) [^`]+)`/g)]
    .map(([, span]) => ({ document, text: span }))
    .filter(({ text: span }) => !/^(?:leakline [a-z-]+|node dist\/cli\.js|npm run)$/.test(span));
}

/** The words of a command as a shell splits them. */
function words(text: string): string[] {
  return [...text.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)].map(([word]) => word.replace(/['"]/g, ''));
}

const blocks = documents.flatMap(blocksOf);
const commands = [...blocks, ...documents.flatMap(spansOf)];
const ofOurs = (command: Command): string[] => words(OURS.exec(command.text)?.groups?.['args'] ?? '');

describe('The commands in the documents', () => {
  it('are all known here', () => {
    const known = [
      OURS,
      RECORDER,
      ATTACHING,
      SCRIPT,
      FOREIGN,
      /^npx mocha test\//,
      /^node --import tsx /,
      /^python -m leakline\.ray /,
      /^python3 test\/recorder\/run\.py$/,
    ];
    assert.ok(commands.length > 40, `${commands.length} commands`);
    assert.deepEqual(
      commands.filter(({ text }) => !known.some((pattern) => pattern.test(text))),
      [],
    );
  });

  it('are read by the parser of the command line', () => {
    const ours = commands.filter(({ text }) => OURS.test(text));
    assert.ok(ours.length >= 20, `${ours.length} commands`);
    for (const command of ours)
      assert.doesNotThrow(() => parseArguments(ofOurs(command)), `${command.document}: ${command.text}`);
  });

  it('are read by the parser of the recorder', function () {
    if (!hasPython()) this.skip();
    const recording = [
      ...commands,
      { document: 'agents', text: / `(leakline run .*?)`/.exec(recordAnswer('train.py'))?.[1] ?? '' },
    ]
      .filter(({ text }) => RECORDER.test(text))
      .map(({ text }) => words(RECORDER.exec(text)?.groups?.['args'] ?? ''));
    assert.ok(recording.length >= 10, `${recording.length} commands`);
    const parse =
      'import json, sys; sys.path.insert(0, sys.argv[1]); from leakline_recorder import cli\n' +
      'for args in json.load(sys.stdin):\n' +
      '    own, command = cli.split(args); cli.parser().parse_args(own); assert command, args\n';
    const input = JSON.stringify(recording);
    execFileSync('python3', ['-c', parse, join(root, 'recorder')], { input, encoding: 'utf8' });
  });

  it('are read by the parser for processes that run', function () {
    if (!hasPython()) this.skip();
    const attaching = commands
      .map(({ text }) => ATTACHING.exec(text)?.groups?.['args'])
      .filter((args) => args !== undefined)
      .map((args) => words(args).map((word) => (word === 'PID' ? '4242' : word)));
    assert.ok(attaching.length >= 4, `${attaching.length} commands`);
    const parse =
      'import json, sys; sys.path.insert(0, sys.argv[1]); from leakline import attach\n' +
      'for action, *args in json.load(sys.stdin): attach._parser(action).parse_args(args)\n';
    execFileSync('python3', ['-c', parse, join(root, 'recorder')], {
      input: JSON.stringify(attaching),
      encoding: 'utf8',
    });
  });

  it('name scripts that package.json has', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: object };
    const builtIn = ['ci', 'install'];
    const named = commands.flatMap(({ text }) => SCRIPT.exec(text)?.groups?.['name'] ?? []);
    assert.ok(named.length > 10);
    assert.deepEqual(
      named.filter((name) => !(name in scripts) && !builtIn.includes(name)),
      [],
    );
  });

  it('point at no package of a registry as if it were ours', () => {
    const texts = [
      ...documents.map((path) => readFileSync(join(root, path), 'utf8')),
      readFileSync(join(root, 'action.yml'), 'utf8'),
      recordAnswer('train.py'),
    ];
    const registry =
      /(?:\bnpx|\buvx|\bpipx|npm (?:i|install|exec)|pip3? install)\b[^\n`]*?(?<![/.\w-])leakline(?![\w./*-])/;
    for (const text of texts) {
      assert.doesNotMatch(text, registry);
      assert.doesNotMatch(text, /"command": "npx"/);
    }
    assert.match('npx --yes leakline@0.2.0', registry);
    assert.match('pip install leakline', registry);
  });

  describe('run', () => {
    const start = process.cwd();
    let folder: string;
    before(() => {
      folder = mkdtempSync(join(tmpdir(), 'leakline-commands-'));
      const at = (name: string): string => join(folder, name);
      const fixture = (name: string, to: string): void => {
        cpSync(join(FIXTURES, name), at(to), { recursive: true });
      };
      cpSync(join(root, 'examples/detector'), folder, { recursive: true });
      copyFileSync(at('snapshots/step_0040.pickle'), at('step40.pickle'));
      for (const name of ['before', 'base', 'leakline-recordings']) fixture('fixes/leak', name);
      for (const name of ['after', 'pull']) fixture('fixes/gone', name);
      fixture('recordings/two_ranks/snapshots', 'dumps');
      fixture('recordings/two_ranks/src', 'src');
      writeFileSync(at('train.log'), 'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n');
      process.chdir(folder);
    });
    after(() => {
      process.chdir(start);
      rmSync(folder, { recursive: true });
    });

    for (const command of blocks.filter(({ text }) => OURS.test(text) && !text.includes(' - --name'))) {
      it(`${command.text} (${command.document})`, async () => {
        const args = ofOurs(command);
        const { status, stdout, stderr } = await runHere(...args);
        // The documents' checks find what they look for, or nothing.
        if (args.includes('--fail-on')) assert.ok(status === 0 || status === 1, stderr);
        else assert.deepEqual([status, stderr], [0, '']);
        assert.ok(stdout.length > 0);
      });
    }
  });
});
