/** The walls of eslint.config.js stand: a planted import through each is refused, and one through a door is not. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { ESLint, Linter } from 'eslint';
import tseslint from 'typescript-eslint';
import { repositoryRoot } from '../../support/repository.js';

const RULE = '@typescript-eslint/no-restricted-imports';

/** By room: an import that its wall stops, and one that it lets through. */
const PLANTED: Record<string, { stopped: string[]; passed: string[] }> = {
  'src/core/text': { stopped: ['../bytes/byteSource.js', 'node:fs'], passed: ['./say.js'] },
  'src/core/bytes': { stopped: ['../model/snapshot.js', 'fs'], passed: ['../text/say.js'] },
  'src/core/pickle': { stopped: ['../model/snapshot.js', '../formats/readSnapshot.js'], passed: ['../bytes/a.js'] },
  'src/core/formats': { stopped: ['../digest/digest.js', '../../node/a.js'], passed: ['../model/snapshot.js'] },
  'src/core/model': { stopped: ['../text/say.js', 'vscode'], passed: ['./snapshot.js'] },
  'src/core/attribution': { stopped: ['../digest/digest.js', '../text/say.js'], passed: ['../model/snapshot.js'] },
  'src/core/timeline': { stopped: ['../digest/digest.js', 'path'], passed: ['../attribution/owner.js'] },
  'src/core/digest': { stopped: ['../runs/runs.js', 'path'], passed: ['../attribution/owner.js'] },
  'src/core/runs': { stopped: ['../verdict/verdict.js', '../report/report.js'], passed: ['../digest/digest.js'] },
  'src/core/verdict': { stopped: ['../report/report.js', '../text/say.js'], passed: ['../runs/runs.js'] },
  'src/core/python': { stopped: ['../model/snapshot.js', '../retention/judge/a.js'], passed: ['@lezer/python'] },
  'src/core/retention': { stopped: ['../model/snapshot.js', 'node:path'], passed: ['../python/a.js'] },
  'src/core/report': { stopped: ['../formats/readSnapshot.js', '../../worker/a.js'], passed: ['../retention/a.js'] },
  'src/core/render': { stopped: ['../formats/readSnapshot.js', '../digest/digest.js'], passed: ['../report/a.js'] },
  'src/protocol': { stopped: ['../node/a.js', '../extension/a.js', 'node:fs'], passed: ['../core/model/snapshot.js'] },
  'src/node': {
    stopped: ['../worker/a.js', '../protocol/rpc.js', 'vscode'],
    passed: ['../core/bytes/a.js', 'node:fs'],
  },
  'src/worker': { stopped: ['../extension/a.js', '../cli/run.js', 'vscode'], passed: ['../node/a.js'] },
  'src/cli': { stopped: ['../worker/a.js', '../protocol/rpc.js', 'vscode'], passed: ['../node/a.js'] },
  'src/extension': {
    stopped: ['../worker/a.js', '../core/formats/readSnapshot.js', '../core/digest/digest.js', '../../webview/ui/a.js'],
    passed: ['vscode', '../protocol/rpc.js', './text/a.js'],
  },
  webview: { stopped: ['../src/core/model/snapshot.js', 'vscode', 'node:fs'], passed: ['../src/protocol/rpc.js'] },
};

describe('The walls between the rooms', () => {
  const eslint = new ESLint({ cwd: repositoryRoot() });

  for (const [room, { stopped, passed }] of Object.entries(PLANTED)) {
    it(`stand around ${room}`, async () => {
      const config = (await eslint.calculateConfigForFile(join(repositoryRoot(), room, 'planted.ts'))) as Linter.Config;
      const refused = (module: string): boolean =>
        new Linter()
          .verify(
            `import { planted } from '${module}';\nplanted();\n`,
            {
              files: ['**/*.ts'],
              languageOptions: { parser: tseslint.parser },
              plugins: { '@typescript-eslint': tseslint.plugin },
              rules: { [RULE]: config.rules?.[RULE] ?? 'off' },
            },
            'planted.ts',
          )
          .some(({ ruleId }) => ruleId === RULE);
      assert.deepEqual(
        stopped.filter((module) => !refused(module)),
        [],
      );
      assert.deepEqual(passed.filter(refused), []);
    });
  }
});
