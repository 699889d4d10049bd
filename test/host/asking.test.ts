import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { LeaklineApi } from '../../src/extension/api.js';
import { leakline } from './extension.js';
import { byteLenses, expectedLeaks, untilLensesShow } from './lenses.js';

/** Interfaces for others: tools of language models, and the API for extensions. */
describe('Who asks Leakline', () => {
  before(async () => {
    await leakline().activate();
    await untilLensesShow(expectedLeaks());
  });

  it('returns to a language model the findings and lines that the editor marks', async () => {
    const answer = await ask('list_gpu_memory_leaks', {});
    for (const { file, line, holder } of expectedLeaks()) {
      assert.ok(answer.includes(`${file}:${line}`), answer);
      assert.match(answer, new RegExp(`^- \\*\\*.${holder?.file}:${holder?.line}.: Leaks `, 'm'));
    }
  });

  it('as a language model gets a finding explained, by either of its lines, to the byte', async () => {
    const [leak] = expectedLeaks();
    for (const place of [leak, leak.holder]) {
      const answer = JSON.parse(await ask('explain_gpu_memory_leak', { file: place?.file, line: place?.line })) as {
        finding: { file: string; line: number; bytes: number; holder: { edit: { lines: { line: number }[] } | null } };
        lines: { runs: { leakedBytes: number; evidence: object | null; stacks: { innermostFirst: string[] }[] }[] }[];
      };
      const [run] = answer.lines[0].runs;
      assert.equal(run.leakedBytes, leak.leakedBytes);
      assert.ok(run.evidence !== null);
      assert.ok(run.stacks[0].innermostFirst.length > 1);
      const api = (await leakline().activate()) as LeaklineApi;
      const told = api.report()?.runs[0].findings[0];
      const { file, line, bytes, holder } = answer.finding;
      assert.deepEqual([file, line, bytes], [told?.file, told?.line, told?.bytes], 'as extensions are told');
      // Extensions count the lines of an edit from 0, as VS Code does, and language models from 1.
      assert.equal(holder.edit?.lines[0].line, (told?.holder?.edit?.lines[0].line ?? NaN) + 1);
    }
  });

  it('as a language model receives which findings there are when it asks for another line', async () => {
    const answer = JSON.parse(await ask('explain_gpu_memory_leak', { file: 'train.py', line: 1 })) as {
      verdict: null;
      findings: object[];
    };
    assert.equal(answer.verdict, null);
    assert.ok(answer.findings.length > 0);
  });

  it('as a language model compares two snapshots, but none outside the workspace', async () => {
    const before = await byteLenses();
    const answer = await ask('compare_gpu_memory_snapshots', {
      before: 'snapshots/step_0005.pickle',
      after: 'snapshots/step_0025.pickle',
    });
    assert.match(answer, /detector\/pyramid\.py:16/);
    assert.deepEqual(await byteLenses(), before, 'the comparison was shown to a user who did not ask');
    await assert.rejects(ask('compare_gpu_memory_snapshots', { before: '/etc/hostname', after: '/etc/hostname' }));
  });

  it('as a language model asks what other settings of the allocator would reserve', async () => {
    const path = 'snapshots/step_0025.pickle';
    const answer = await ask('gpu_memory_what_if', { path, capacity: '1GiB', settings: ['max_split_size_mb:64'] });
    assert.match(answer, /^Device 0: .* replayed, all as recorded\./);
    assert.match(
      answer,
      /\n {2}With the recorded settings, 1\.0 GiB is .*\n\n {2}CHANGE .*\n {2}max_split_size_mb:64 /s,
    );
    await assert.rejects(
      ask('gpu_memory_what_if', { path, settings: ['max_split_size_mb:1'] }),
      /at least 20, not '1'/,
    );
    await assert.rejects(ask('gpu_memory_what_if', { path: '/etc/hostname' }), /is not a file of the workspace/);
  });

  it('as a language model gets an out-of-memory message explained, with its line, and the editor does not change', async () => {
    const before = await byteLenses();
    const text =
      'Traceback (most recent call last):\n  File "/srv/detector/pyramid.py", line 16, in forward\n' +
      'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 9.00 GiB. GPU 0 has a total capacity of 8.00 GiB of';
    const answer = await ask('explain_gpu_out_of_memory', { text });
    assert.match(answer, /^The request of 9\.0 GiB is larger than the device, which has 8\.0 GiB\.\n/);
    assert.match(answer, /\n {2}detector\/pyramid\.py:16 \(forward\) requested 9\.0 GiB on device 0\./);
    const frames = [
      [67, '<module>'],
      [63, 'main'],
      [43, 'train'],
    ].map(([line, name]) => `  File "/srv/train.py", line ${line}, in ${name}\n`);
    const unsure = `Traceback (most recent call last):\n${frames.join('')}CUDA out of memory. Tried to allocate 1.00 GiB. GPU 0;\n`;
    const candidate = await ask('explain_gpu_out_of_memory', { text: unsure });
    assert.match(
      candidate,
      /\n {2}Line detector\/pyramid\.py:18 may keep tensors of every step .*: a candidate, not proved\.$/,
    );
    assert.deepEqual(await byteLenses(), before);
    await assert.rejects(ask('explain_gpu_out_of_memory', { text: 'step 12' }), /no out-of-memory message/);
    await assert.rejects(ask('explain_gpu_out_of_memory', { path: '/etc/hostname' }), /not a file of the workspace/);
  });

  it('as an extension gets a report of its own, which it cannot spoil', async () => {
    const api = (await leakline().activate()) as LeaklineApi;
    const report = api.report();
    assert.equal(report?.schema, 'leakline.report/3');
    report.runs.length = 0;
    assert.ok((api.report()?.runs.length ?? 0) > 0);
  });
});

async function ask(tool: string, input: object): Promise<string> {
  const result = await vscode.lm.invokeTool(tool, { input, toolInvocationToken: undefined });
  return result.content.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : '')).join('');
}
