import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { hasHash, textLines } from '../../../src/extension/marks/textHash.js';
import {
  lineCarrier,
  findLine,
  shiftLine,
  type LineEdit,
  type TextLines,
} from '../../../src/extension/marks/trackedLine.js';

const linesOf = (text: string): TextLines => {
  const lines = text.split('\n');
  return { lineCount: lines.length, lineAt: (line) => ({ text: lines[line] }) };
};

/** Replaces a range of a text, as an editor does; gives the text and what the editor tells about it. */
function edit(
  text: string,
  [startLine, startCharacter]: [number, number],
  [endLine, endCharacter]: [number, number],
  put: string,
): { text: string; told: LineEdit } {
  const lines = text.split('\n');
  const head = [...lines.slice(0, startLine), lines[startLine].slice(0, startCharacter)].join('\n');
  const tail = [lines[endLine].slice(endCharacter), ...lines.slice(endLine + 1)].join('\n');
  return {
    text: head + put + tail,
    told: { startLine, endLine, endCharacter, addedLines: put.split('\n').length - 1 },
  };
}

describe('A marked line', () => {
  const before = ['import torch', '', 'def f(x):', '    y = x * 2', '    return y', '', 'f(1)'].join('\n');
  const marked = 3;
  const after = (...args: [[number, number], [number, number], string]): string | undefined => {
    const { text, told } = edit(before, ...args);
    const line = shiftLine(marked, 4, told);
    return text.split('\n')[line];
  };

  it('stays on its text through edits above, below and at its edges', () => {
    const whole = '    y = x * 2';
    assert.equal(after([0, 0], [0, 0], '# a\n# b\n'), whole);
    assert.equal(after([0, 12], [0, 12], '\nimport os'), whole);
    assert.equal(after([0, 0], [2, 0], ''), whole);
    assert.equal(after([3, 0], [3, 0], '    z = 1\n'), whole);
    assert.equal(after([3, 4], [3, 4], 'z = 1\n    '), whole);
    assert.equal(after([1, 0], [3, 0], ''), whole);
    assert.equal(after([3, 13], [3, 13], '\n    print(y)'), whole);
    assert.equal(after([4, 0], [5, 0], ''), whole);
    assert.equal(after([6, 0], [6, 4], 'g(2)\n'), whole);
  });

  it('stays in place when its own text is edited', () => {
    assert.equal(after([3, 12], [3, 13], '3'), '    y = x * 3');
    assert.equal(after([3, 8], [3, 9], 'z'), '    y = z * 2');
  });

  it('stays about where it was when another program writes the whole file again', () => {
    const rewritten = ['# 1', ...before.split('\n').slice(0, 3), '    y = x * 3', '    return y', ''].join('\n');
    assert.equal(after([0, 0], [6, 4], rewritten), 'def f(x):');
    assert.equal(after([0, 0], [6, 4], '# gone\n'), '');
  });

  it('is found again near by, and not when it is gone', () => {
    assert.equal(findLine(linesOf(before), 3, '    return y'), 4);
    assert.equal(findLine(linesOf(before), 6, '    y = x * 2'), 3);
    assert.equal(findLine(linesOf(before), 3, '    y = 7'), null);
    assert.equal(findLine(linesOf(`${'\n'.repeat(60)}x`), 0, 'x'), null);
  });
});

describe('A line of the text that ran', () => {
  const ran = ['import torch', '', 'def f(x):', '    y = x * 2', '    return y', '', 'f(1)'];
  const carried = (now: readonly string[], line: number): number => lineCarrier(ran, linesOf(now.join('\n')))(line);

  it('keeps its distance from the nearer unchanged end', () => {
    ran.forEach((_, line) => {
      assert.equal(carried(ran, line), line);
    });
    const above = ['# new', '# newer', ...ran];
    const inside = [...ran.slice(0, 3), '    x = x + 1', ...ran.slice(3)];
    const without = [...ran.slice(0, 1), ...ran.slice(2)];
    for (const line of [3, 4, 6]) {
      assert.equal(above[carried(above, line)], ran[line]);
      assert.equal(inside[carried(inside, line)], ran[line]);
      assert.equal(without[carried(without, line)], ran[line]);
    }
  });

  it('is somewhere in the text that there is, however little is left', () => {
    assert.equal(carried(['f(1)'], 6), 0);
    for (let line = 0; line < ran.length; line++) {
      const at = carried(['import torch', 'x'], line);
      assert.ok(at >= 0 && at < 2, `${line} → ${at}`);
    }
  });
});

describe('The hash of the text that ran', () => {
  const hash = (text: string): string => createHash('sha256').update(text).digest('hex');

  it('is known again with other line ends and with or without a byte order mark', () => {
    const text = 'a = 1\nb = 2\n';
    const forms = [text, text.replace(/\n/g, '\r\n'), `\uFEFF${text}`];
    for (const saved of forms) for (const shown of forms) assert.ok(hasHash(shown, hash(saved)));
    assert.ok(!hasHash('a = 1\nb = 3\n', hash(text)));
    assert.deepEqual(textLines('\uFEFFa\r\nb\n'), ['a', 'b', '']);
  });
});
