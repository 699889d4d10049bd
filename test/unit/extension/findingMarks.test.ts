import assert from 'node:assert/strict';
import type { LineReport, RunReport } from '../../../src/core/report/report.js';
import { presentFinding, type PresentedFinding } from '../../../src/core/present/presented.js';
import { hoverMarkdown } from '../../../src/extension/marks/hoverText.js';
import { findingMarks, holdsOthers, type FindingMark } from '../../../src/extension/results/findingMarks.js';
import { lineMarks } from '../../../src/extension/results/lineMarks.js';
import { seededRandom } from '../../support/seededRandom.js';
import { lineReport, MiB, report, runReport } from './support/reports.js';

function heldBy(file: string, line: number, name = 'kept', fix: string | null = null): Pick<LineReport, 'holder'> {
  return { holder: { source: 'recorder', file, line, name, text: `${name}, explained`, fix, edit: null } };
}

function marksOf(runs: RunReport[], canOpen: (file: string) => boolean = () => true): FindingMark[] {
  const whole = report(...runs);
  return findingMarks(whole, lineMarks(whole), canOpen);
}

function told({ parts: [worst] }: FindingMark): PresentedFinding {
  return presentFinding(worst);
}

describe('A finding in the editor', () => {
  const four = [14, 20, 30].map((line, i) =>
    lineReport({ file: 'model.py', line, leakedBytes: (5 + i) * MiB, ...heldBy('train.py', 26) }),
  );

  it('is one for a bug whose memory is allocated on several lines, at the statement that holds it', () => {
    const [finding, ...others] = marksOf([runReport(four)]);
    assert.deepEqual(others, []);
    assert.deepEqual(
      [finding.file, finding.line, finding.lines.map(({ line }) => line)],
      ['train.py', 26, [30, 20, 14]],
    );
    assert.ok(holdsOthers(finding));
    assert.equal(told(finding).lens, '◆ Leaks 3.0 MiB/step (18.0 MiB so far)');
    assert.equal(told(finding).end, 'kept');
  });

  it('is on the allocating line if the workspace has no file of the holder, or without a holder', () => {
    const [finding] = marksOf([runReport(four)], (file) => file === 'model.py');
    assert.deepEqual([finding.file, finding.line, finding.mapped], ['model.py', 30, true]);
    const [alone] = marksOf([runReport([lineReport({ line: 7 })])]);
    assert.deepEqual([alone.line, holdsOthers(alone)], [7, false]);
  });

  it('is memory that grows in a single snapshot: all that is live', () => {
    const line = lineReport({
      verdict: 'growing',
      leakedBytes: 0,
      growingBytes: 12 * MiB,
      growthBytes: 0,
      series: [12 * MiB],
    });
    const [finding] = marksOf([runReport([line])]);
    assert.deepEqual(
      [finding.tone, told(finding).sentence],
      ['growing', 'Growing 1.0 MiB/step (12.0 MiB so far), unconfirmed'],
    );
  });

  it('never adds up bytes of several runs: the run that lost most speaks', () => {
    const run = (id: string, leakedBytes: number): RunReport =>
      runReport([lineReport({ file: 'model.py', line: 14, leakedBytes, ...heldBy('train.py', 26) })], { id });
    const [finding, ...others] = marksOf([run('a', 5 * MiB), run('b', 7 * MiB)]);
    assert.deepEqual(others, []);
    assert.equal(told(finding).sentence, 'Leaks 1.0 MiB/step (7.0 MiB so far), held by kept');
    assert.equal(finding.parts.length, 2);
  });

  it('has each marked line once, for any lines, runs and holders', () => {
    const pick = seededRandom(26);
    for (let turn = 0; turn < 50; turn++) {
      const runs = Array.from({ length: 1 + pick(3) }, (_, id) =>
        runReport(
          Array.from({ length: pick(12) }, (_, at) =>
            lineReport({
              ...{ file: 'a.py', line: at + 1, leakedBytes: pick(1000), growthBytes: 1 },
              ...{ verdict: (['leak', 'cycle', 'tooShort', 'steady'] as const)[pick(4)], ignored: pick(5) === 0 },
              ...(pick(4) === 0 ? {} : heldBy('a.py', 1 + pick(4))),
            }),
          ),
          { id: String(id) },
        ),
      );
      const findings = marksOf(runs);
      assert.deepEqual(
        new Set(findings.flatMap(({ lines }) => lines.map(({ line }) => line))),
        new Set(lineMarks(report(...runs)).map(({ line }) => line)),
      );
      assert.equal(
        new Set(findings.map(({ line, parts }) => `${line} ${parts[0].finding.holder !== null}`)).size,
        findings.length,
      );
    }
  });
});

describe('The hover', () => {
  const hostile = '](command:workbench.action.quit) <img src=x onerror=alert(1)> `x` **b**\n# h | [a](http://e)';
  const evidence = {
    ...{ from: 'lifetimes' as const, steps: 40, allocatedOnSteps: [], birthSteps: 40, survivors: 40 },
    ...{ oldestFreedAge: null, usualFreedAge: null, floors: [0, MiB], drops: 0, gaps: 0, reason: 'Why.' },
  };
  const stacks = [
    {
      frames: [
        { file: 'src/train.py', line: 26, function: 'train' },
        { file: '/usr/lib/torch.py', line: 1, function: 'forward' },
      ],
      ...{ liveBytes: MiB, blocks: 2, equal: { size: 1, blocks: 1 }, verdict: 'leak' as const },
    },
  ];
  const paragraphs = (finding: FindingMark, isHolder: boolean, isInProblem = false): string[] => {
    const mark = isHolder ? null : finding.lines[0];
    return hoverMarkdown(finding, { mark, stale: null, isInProblem, canOpen: () => true })
      .replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
      .replaceAll(/\[([^\]]*)\]\(command:[^)]*\)/g, '[$1]')
      .split('\n\n');
  };

  it('gives the answer first, then holder, fix, links, evidence and stack, each once', () => {
    const line = lineReport({ evidence, stacks, ...heldBy('src/model.py', 14, 'Model.seen', 'Clear it.') });
    const [finding] = marksOf([runReport([line])]);
    const seen =
      'Allocations from 40 of 40 steps are still live. No block that outlived its step was freed. ' +
      'Live bytes never fell: 0 B at first, 1.0 MiB at last. Why.';
    const tail = ['Fix: Clear it.', '[Show on timeline] · [Show in Leaks]', seen];
    const stack = '[train (train.py:26)] ← [forward (torch.py:1)]';
    assert.deepEqual(paragraphs(finding, false), [
      ...['**Leaks 1.0 MiB/step (11.0 MiB so far)**', 'Held by Model.seen, explained, [model.py:14]', ...tail, stack],
    ]);
    assert.deepEqual(paragraphs(finding, true), [
      ...['**Leaks 1.0 MiB/step (11.0 MiB so far)**', 'Held by Model.seen, explained'],
      ...['Allocated at [train.py:26] (11.0 MiB)', ...tail, stack],
    ]);
    assert.deepEqual(paragraphs(finding, true, true), ['Held by Model.seen, explained', ...tail, stack]);
  });

  it('links files of the workspace, and none that it does not have', () => {
    const [finding] = marksOf([runReport([lineReport({ stacks })])]);
    const place = {
      mark: finding.lines[0],
      stale: null,
      isInProblem: false,
      canOpen: (file: string) => file === 'src/train.py',
    };
    const markdown = hoverMarkdown(finding, place);
    const [, query] = /openSource\?([^)]*)\)/.exec(markdown) ?? [];
    assert.deepEqual(JSON.parse(decodeURIComponent(query)), [{ file: 'src/train.py', line: 26 }]);
    assert.equal(markdown.split('openSource').length, 2);
  });

  it('lets nothing of a recording become markup', () => {
    const frames = [{ file: hostile, line: 1, function: hostile }];
    const line = lineReport({
      ...heldBy(hostile, 1, hostile, hostile),
      ...{
        evidence: { ...evidence, reason: hostile },
        stacks: [{ frames, liveBytes: 1, blocks: 1, equal: { size: 1, blocks: 1 }, verdict: 'leak' }],
      },
    });
    const [finding] = marksOf([runReport([line])]);
    for (const mark of [finding.lines[0], null]) {
      for (const canOpen of [() => true, () => false]) {
        const markdown = hoverMarkdown(finding, { mark, stale: null, isInProblem: false, canOpen });
        const links = [...markdown.matchAll(/\]\(([^)]*)\)/g)].map(([, target]) => target);
        assert.ok(
          links.every((target) => /^command:leakline\.[\w.]+\?[\w%.~!*'-]+$/.test(target)),
          links.join('\n'),
        );
        assert.doesNotMatch(markdown, /[<`]|^#|http:/m);
      }
    }
  });
});
