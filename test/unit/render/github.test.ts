import assert from 'node:assert/strict';
import { escapeData, escapeProperty, renderGithub } from '../../../src/core/render/renderGithub.js';
import { renderSarif } from '../../../src/core/render/renderSarif.js';
import type { LineReport } from '../../../src/core/report/report.js';
import { lineReport, report, runReport } from '../extension/support/reports.js';

const annotations = (...lines: LineReport[]): string =>
  renderGithub(renderSarif(report(runReport(lines)), '1.2.3', { hasBaseline: true, prefix: 'examples/a b/' }));

/** A workflow command as the runner reads it: actions/runner, ActionCommand.TryParseV2. */
function read(line: string): { command: string; properties: Record<string, string>; message: string } {
  const [, command, list, message] = /^::(\w+) (.*?)::(.*)$/.exec(line) ?? assert.fail(line);
  const plain = (text: string, signs: string[]): string =>
    signs.reduce((all, sign) => all.replaceAll(`%${sign}`, String.fromCharCode(parseInt(sign, 16))), text);
  const pairs = list.split(',').map((pair) => pair.split('='));
  const properties = pairs.map(([name, ...value]) => [name, plain(value.join('='), ['0D', '0A', '3A', '2C', '25'])]);
  return {
    command,
    properties: Object.fromEntries(properties) as Record<string, string>,
    message: plain(message, ['0D', '0A', '25']),
  };
}

describe('Annotations for GitHub', () => {
  it('are on the line, in the repository, with a level for each verdict', () => {
    const text = annotations(
      lineReport(),
      lineReport({ line: 30, verdict: 'cycle' }),
      lineReport({ line: 40, verdict: 'growing' }),
      lineReport({ line: 50, verdict: 'steady' }),
    );
    assert.deepEqual(text.trimEnd().split('\n').map(read), [
      {
        command: 'error',
        properties: { file: 'examples/a b/train.py', line: '26', title: 'GPU memory leak' },
        message: 'Leaks 1.0 MiB/step (11.0 MiB so far).',
      },
      {
        command: 'warning',
        properties: { file: 'examples/a b/train.py', line: '30', title: 'GPU memory held by a reference cycle' },
        message: 'Reference cycle holds up to 12.0 MiB.',
      },
      {
        command: 'notice',
        properties: { file: 'examples/a b/train.py', line: '40', title: 'GPU memory grows, unconfirmed' },
        message: 'Growing 1.0 MiB/step (10.0 MiB so far), unconfirmed.',
      },
    ]);
  });

  it('do not include ignored lines and the baseline', () => {
    assert.equal(
      annotations(lineReport({ ignored: true }), lineReport({ line: 3, ignored: true, inBaseline: true })),
      '',
    );
  });

  it('are whole, whatever a file is called', () => {
    const file = 'a,line=1::error b%0A:\r\n::stop-commands::x.py';
    const lines = annotations(lineReport({ file })).trimEnd().split('\n');
    assert.equal(lines.length, 1);
    assert.equal(read(lines[0]).properties['file'], `examples/a b/${file}`);
    assert.equal(
      read(annotations(lineReport({ file: '/home/ml/x.py', mapped: false })).trimEnd()).properties['file'],
      undefined,
    );
  });

  it('are escaped as GitHub asks', () => {
    assert.equal(escapeData('100 %\r\na: b, c'), '100 %25%0D%0Aa: b, c');
    assert.equal(escapeProperty('100 %\r\na: b, c'), '100 %25%0D%0Aa%3A b%2C c');
    assert.equal(escapeData('\u001b[2J'), '\\u001b[2J');
  });
});
