/** The walls of .dependency-cruiser.mjs stand: a planted import through each is refused, and one through a door is not. */
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cruise, type ICruiseResult } from 'dependency-cruiser';
import extractConfig from 'dependency-cruiser/config-utl/extract-depcruise-config';
import { repositoryRoot } from '../../support/repository.js';
import { newFolder, removeCopies } from '../../support/workspaces.js';

/** By room: an import that its wall stops, and one that it lets through. */
const PLANTED: Record<string, { stopped: string[]; passed: string[] }> = {
  'src/core/text': { stopped: ['../bytes/byteSource.js', 'node:fs'], passed: ['./translate.js'] },
  'src/core/bytes': { stopped: ['../model/snapshot.js', 'fs'], passed: ['../text/translate.js'] },
  'src/core/pickle': { stopped: ['../model/snapshot.js', '../formats/readSnapshot.js'], passed: ['../bytes/a.js'] },
  'src/core/formats': { stopped: ['../digest/digest.js', '../../node/a.js'], passed: ['../model/snapshot.js'] },
  'src/core/model': { stopped: ['../text/translate.js', 'vscode'], passed: ['./snapshot.js'] },
  'src/core/allocator': { stopped: ['../attribution/owner.js', 'node:fs'], passed: ['../model/snapshot.js'] },
  'src/core/attribution': {
    stopped: ['../digest/digest.js', '../text/translate.js'],
    passed: ['../model/snapshot.js'],
  },
  'src/core/oom': { stopped: ['../report/report.js', 'node:fs'], passed: ['../attribution/owner.js'] },
  'src/core/timeline': { stopped: ['../digest/digest.js', 'path'], passed: ['../attribution/owner.js'] },
  'src/core/digest': { stopped: ['../runs/runs.js', 'path'], passed: ['../attribution/owner.js'] },
  'src/core/runs': { stopped: ['../verdict/verdict.js', '../report/report.js'], passed: ['../digest/digest.js'] },
  'src/core/verdict': { stopped: ['../report/report.js', '../retention/a.js'], passed: ['../runs/runs.js'] },
  'src/core/python': { stopped: ['../model/snapshot.js', '../retention/judge/a.js'], passed: ['@lezer/python'] },
  'src/core/retention': { stopped: ['../model/snapshot.js', 'node:path'], passed: ['../python/a.js'] },
  'src/core/report': { stopped: ['../formats/readSnapshot.js', '../../worker/a.js'], passed: ['../retention/a.js'] },
  'src/core/present': { stopped: ['../render/a.js', '../digest/digest.js'], passed: ['../report/report.js'] },
  'src/core/render': { stopped: ['../formats/readSnapshot.js', '../digest/digest.js'], passed: ['../present/a.js'] },
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
  webview: {
    stopped: ['../src/core/model/snapshot.js', '../src/core/present/presented.js', 'vscode', 'node:fs'],
    passed: ['../src/protocol/rpc.js', '../src/core/text/plainText.js', '../src/core/present/words.js'],
  },
  'webview/model': { stopped: ['../text/strings.js', '../app.js'], passed: ['../../src/protocol/rpc.js'] },
  'webview/text': { stopped: ['../ui/dom.js', '../page/a.js'], passed: ['../model/viewState.js'] },
  'webview/ui': { stopped: ['../actions/session.js', '../app.js'], passed: ['../text/strings.js'] },
  'webview/actions': { stopped: ['../parts/pane.js', '../chart/a.js'], passed: ['../ui/dom.js'] },
  'webview/parts': { stopped: ['../chart/plot.js', '../live/a.js'], passed: ['../actions/session.js'] },
  'webview/chart': { stopped: ['../layer/a.js', '../app.js'], passed: ['../parts/pane.js'] },
  'webview/layer': { stopped: ['../map/a.js', '../page/a.js'], passed: ['../chart/plot.js'] },
  'webview/map': { stopped: ['../compare/a.js', '../page/a.js'], passed: ['../layer/a.js'] },
  'webview/compare': { stopped: ['../page/a.js', '../main.js'], passed: ['../flame/a.js'] },
  'webview/page': { stopped: ['../app.js'], passed: ['../compare/a.js'] },
};

describe('The walls between the rooms', () => {
  let refused: ReadonlySet<string>;

  before(async () => {
    const folder = newFolder('walls');
    const write = (path: string, text: string): void => {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    };
    for (const [room, { stopped, passed }] of Object.entries(PLANTED)) {
      [...stopped, ...passed].forEach((module, index) => {
        if (module.startsWith('.')) write(join(room, module.replace(/js$/, 'ts')), 'export type Planted = 1;\n');
        write(
          `${room}/planted${index}.ts`,
          `import type { Planted } from '${module}';\nexport type Own${index} = Planted;\n`,
        );
      });
    }
    write('bench/one.ts', "import type { Two } from './two.js';\nexport type One = Two;\n");
    write('bench/two.ts', "import type { One } from './one.js';\nexport type Two = One;\n");
    const { options, ...ruleSet } = await extractConfig(join(repositoryRoot(), '.dependency-cruiser.mjs'));
    const { output } = await cruise(['src', 'webview', 'bench'], {
      ...options,
      tsConfig: {},
      baseDir: folder,
      ruleSet,
      validate: true,
    });
    refused = new Set((output as ICruiseResult).summary.violations.map(({ from }) => from));
    removeCopies();
  });

  for (const [room, { stopped, passed }] of Object.entries(PLANTED)) {
    it(`stand around ${room}`, () => {
      const isRefused = [...stopped, ...passed].map((_, index) => refused.has(`${room}/planted${index}.ts`));
      assert.deepEqual(isRefused, [...stopped.map(() => true), ...passed.map(() => false)]);
    });
  }

  it('stop types that import each other', () => {
    assert.ok(refused.has('bench/one.ts') || refused.has('bench/two.ts'), [...refused].join(', '));
  });
});
