import assert from 'node:assert/strict';
import { clipboardText, csvOf } from '../../../webview/parts/tableData.js';

describe('an exported table', () => {
  it('is quoted, and holds nothing that a spreadsheet would compute', () => {
    const rows = [
      ['=HYPERLINK("http://x")', -5, null],
      ['+1', 7, 'a,b'],
      ['-2', 0, 'a "b"\r\nc'],
      ['@sum', 1.5, '\tx'],
      ['train.py', 2 ** 53, '<listcomp>'],
      ['＝1+1', 1, 'a;b'],
      ['a\n =b\n-c', 2, ' @d'],
    ];
    assert.equal(
      csvOf({ columns: ['file', 'bytes', 'function'], rows }),
      [
        'file,bytes,function',
        `"'=HYPERLINK(""http://x"")",-5,`,
        `"'+1",7,"a,b"`,
        `"'-2",0,"a ""b""\\u000d\\u000ac"`,
        `"'@sum",1.5,"\\u0009x"`,
        'train.py,9007199254740992,<listcomp>',
        `"'＝1+1",1,"a;b"`,
        `"a\\u000a =b\\u000a-c",2,"' @d"`,
        '',
      ].join('\r\n'),
    );
    const lines = clipboardText({ columns: ['a', 'b', 'c'], rows }).split('\n');
    assert.equal(lines.length, rows.length + 2);
    assert.ok(lines.slice(0, -1).every((line) => line.split('\t').length === 3));
  });
});
