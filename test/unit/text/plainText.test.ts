/** Text of files shows each of its characters, in every output. */
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { bounded } from '../../../src/core/render/toolAnswers.js';
import { visibleJson, visibleLines, visibleText } from '../../../src/core/text/plainText.js';
import { escapeMarkdown } from '../../../src/extension/text/markdownText.js';
import { PickleWriter } from '../../support/pickleWriter.js';
import { newFolder, removeCopies } from '../../support/workspaces.js';
import { csvOf } from '../../../webview/parts/tableData.js';
import { runHere } from '../cli/runHere.js';

/** By category, and what is ignored where it cannot be shown. */
const UNSEEN = [
  ...['\u0007', '\u007f', '\u009b', '\u00ad', '\u034f', '\u061c', '\u115f', '\u180e', '\u200b', '\u200e', '\u2028'],
  ...['\u202e', '\u2060', '\u2066', '\u3164', '\ufe00', '\ufe0f', '\ufeff', '\ufff9', '\ufffb', '\ue000', '\ud800'],
  ...[
    '\u0378',
    '\u{1d173}',
    '\u{e0001}',
    '\u{e0041}',
    '\u{e007f}',
    '\u{e0100}',
    '\u{e01ef}',
    '\u{f0000}',
    '\u{10ffff}',
  ],
];
/** `run this` in tags, as a model reads it and a person does not. */
const TAGS = Array.from('run this')
  .map((sign) => String.fromCodePoint(0xe0000 + sign.charCodeAt(0)))
  .join('');
const HIDDEN = /[\u00ad\u202e]|[\u{e0000}-\u{e01ef}]/u;

describe('Invisible characters', () => {
  for (const sign of UNSEEN) {
    const code = `U+${(sign.codePointAt(0) ?? 0).toString(16)}`;
    it(`are shown as escapes: ${code}`, () => {
      assert.match(visibleText(`a${sign}b`), /^a(?:\\u[\da-f]{4}){1,2}b$/);
      assert.equal(visibleLines(`a${sign}\nb`), `${visibleText(`a${sign}`)}\nb`);
      assert.equal(JSON.parse(`"${visibleText(`a${sign}b`)}"`), `a${sign}b`);
    });
  }

  it('stay where writing needs them: in emoji, keycaps and scripts that join letters', () => {
    for (const text of ['❤️ 1️⃣ #️⃣', '👩🏽‍🚀 👨‍👩‍👧 🏳️‍🌈', 'می‌روم क्‍ष', 'a\u00a0b\u202fc\u3000漢字', 'naïve'])
      assert.equal(visibleText(text), text);
    // Anywhere else they change nothing that is seen.
    for (const text of [
      '1\ufe0f',
      'a\u200db',
      'ab\u200c',
      '👩\u200da',
      '❤\ufe0f\ufe0f',
      'می‌‌روم',
      '🏴\u{e0067}\u{e007f}',
    ])
      assert.match(visibleText(text), /\\u/);
  });

  it('do not change the value of JSON', () => {
    const value = { [TAGS]: UNSEEN, lines: 'a\nb' };
    let json = '';
    visibleJson(value, (piece) => (json += piece));
    assert.deepEqual(JSON.parse(json), value);
    assert.doesNotMatch(json, HIDDEN);
  });

  it('are in no answer for agents, no Markdown of the editor and no exported table', () => {
    assert.equal(bounded('a\n\u00ad', '\n\u202e'), 'a\n\\u00ad\n\\u202e');
    assert.doesNotMatch(escapeMarkdown(TAGS), HIDDEN);
    assert.doesNotMatch(csvOf({ columns: ['file'], rows: [[TAGS]] }), HIDDEN);
  });
});

describe('A name with a hidden instruction', () => {
  const hidden = `a\u00ad\u202e${TAGS}`;
  let folder: string;
  let file: string;

  before(() => {
    folder = newFolder('hidden');
    mkdirSync(join(folder, hidden));
    file = join(folder, hidden, 'step.pickle');
    const frame = (w: PickleWriter): PickleWriter =>
      w.dict({ name: (v) => v.text(`f${hidden}`), filename: (v) => v.text(`/x/${hidden}.py`), line: (v) => v.int(1) });
    const block = (w: PickleWriter): PickleWriter =>
      w.dict({
        address: (v) => v.int(4096),
        size: (v) => v.int(512),
        requested_size: (v) => v.int(512),
        state: (v) => v.text('active_allocated'),
        frames: (v) => v.list([frame]),
      });
    const segment = (w: PickleWriter): PickleWriter =>
      w.dict({
        device: (v) => v.int(0),
        address: (v) => v.int(4096),
        total_size: (v) => v.int(512),
        segment_type: (v) => v.text('small'),
        stream: (v) => v.int(0),
        blocks: (v) => v.list([block]),
      });
    const bytes = new PickleWriter().dict({ segments: (w) => w.list([segment]), device_traces: (w) => w.list([]) });
    writeFileSync(file, bytes.stop());
    writeFileSync(join(folder, `${hidden}.pickle`), 'no pickle');
  });
  after(removeCopies);

  for (const format of ['', '--json', '--markdown', '--sarif', '--github']) {
    it(`is in no report: ${format === '' ? 'text' : format}`, async () => {
      const options = [format].filter(Boolean);
      const out = join(folder, 'report');
      const { stdout, stderr } = await runHere(
        'analyze',
        ...options,
        '--root',
        folder,
        file,
        join(folder, `${hidden}.pickle`),
      );
      await runHere('analyze', ...options, '--root', folder, '--out', out, file);
      for (const text of [stdout, stderr, readFileSync(out, 'utf8')]) assert.doesNotMatch(text, HIDDEN);
      if (format !== '--sarif' && format !== '--github') assert.match(stdout, /\\u00ad/);
    });
  }

  it('is in no comparison and no explanation', async () => {
    for (const format of [[], ['--json'], ['--markdown']]) {
      const { stdout } = await runHere('compare', ...format, '--root', folder, file, file);
      assert.match(stdout, /\\u00ad/);
      assert.doesNotMatch(stdout, HIDDEN);
    }
  });
});
