/** Files that are not input: each gets one sentence that says what it is, where that was seen, and what to do. */
import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { SnapshotError } from '../../../src/core/bytes/snapshotError.js';
import { readBytes } from '../../support/snapshots.js';
import { zipArchive } from '../../support/zipWriter.js';

/** A short text of protocol 4, memoized. */
function text(value: string): Buffer {
  return Buffer.concat([Buffer.from([0x8c, value.length]), Buffer.from(value), Buffer.from([0x94])]);
}

function pickleOf(...parts: readonly (Buffer | string)[]): Buffer {
  return Buffer.concat([
    Buffer.from([0x80, 4]),
    ...parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part)),
  ]);
}

const model = pickleOf(text('torch.nn.modules.linear'), text('Linear'), '\x93)\x81.');

const POINTER = `version https://git-lfs.github.com/spec/v1\noid sha256:${'4d'.repeat(32)}\nsize 124780000\n`;

const FILES: Readonly<Record<string, readonly [Uint8Array, SnapshotError['reason'], RegExp]>> = {
  'a model': [model, 'notASnapshot', /a saved model or checkpoint \(torch\.nn\.modules\.linear\.Linear at byte \d+\)/],
  'a model, packed': [gzipSync(model), 'notASnapshot', /a saved model or checkpoint/],
  'a number of NumPy': [
    pickleOf('}', text('segments'), text('numpy._core.multiarray'), text('scalar'), '\x93.'),
    'forbidden',
    /contains NumPy values \(numpy\._core\.multiarray\.scalar at byte \d+\)/,
  ],
  'code by two names': [
    pickleOf(text('os'), text('system'), '\x93.'),
    'forbidden',
    /run code \(os\.system at byte 16\)/,
  ],
  'code by two lines': [pickleOf('cos\nsystem\n.'), 'forbidden', /run code \(os\.system at byte 2\)/],
  // The names may be anywhere: then the opcode is all there is to say.
  'code by what was named before': [
    pickleOf(text('os'), text('system'), '00h\x00h\x01\x93.'),
    'forbidden',
    /run code \(STACK_GLOBAL at byte 22\)/,
  ],
  'a length that lies': [pickleOf('\x8c\x01os', text('system'), '\x93.'), 'notASnapshot', /not a readable pickle/],
  'a pickle of protocol 0': [
    Buffer.from('(dp0\nVx\np1\nI1\ns.'),
    'notASnapshot',
    /protocol 0 or 1; Leakline reads 2 to 5/,
  ],
  'a pickle of protocol 1': [Buffer.from('}q\x00X\x01\0\0\0xq\x01K\x01s.'), 'notASnapshot', /protocol 0 or 1/],
  'a Git LFS pointer': [
    Buffer.from(POINTER),
    'pointer',
    /^\S+ is a Git LFS pointer; the snapshot itself \(119 MiB\) is not here\. Run `git lfs pull`\.$/,
  ],
  'a text that begins like one': [Buffer.from(POINTER.slice(0, 60)), 'notASnapshot', /starts neither like a pickle/],
  zeros: [new Uint8Array(100_000), 'notASnapshot', /starts neither like a pickle/],
  'a picture': [Buffer.from('\x89PNG\r\n\x1a\n rest', 'latin1'), 'notASnapshot', /starts neither like a pickle/],
  'an array': [
    zipArchive([{ name: 'a.npy', bytes: Buffer.from('\x93NUMPY', 'latin1') }]),
    'notASnapshot',
    /starts neither/,
  ],
  'a timeline page of 2022': [
    Buffer.from('<html><script>\nlet alloc_data = {"elements_size": [512], "actions": [0]}\n</script></html>'),
    'unsupported',
    /is a timeline page of PyTorch from 2022 or 2023.*Choose the \.pickle/,
  ],
  'an empty archive': [
    Buffer.concat([Buffer.from('PK\x05\x06', 'latin1'), Buffer.alloc(18)]),
    'notASnapshot',
    /starts neither/,
  ],
  'an empty file': [new Uint8Array(0), 'truncated', /is empty: .*Wait until it is complete/],
  'half a packed file': [gzipSync(model).subarray(0, 30), 'truncated', /ends early.*Wait until it is complete/],
  settings: [Buffer.from('{"editor.fontSize": 12}'), 'notASnapshot', /is JSON, but no memory snapshot/],
  'a table': [Buffer.from('name,price\napple,3\n'), 'notASnapshot', /starts neither like a pickle/],
};

describe('A file of another kind:', () => {
  for (const [title, [bytes, reason, sentence]] of Object.entries(FILES)) {
    it(`${title} is named for what it is`, async () => {
      const error: unknown = await readBytes(bytes).then(
        () => null,
        (thrown: unknown) => thrown,
      );
      assert.ok(SnapshotError.is(error), String(error));
      assert.equal(error.reason, reason, error.message);
      assert.match(error.message, sentence);
      // What it is comes first, what to do last.
      assert.match(error.message, /^test\.pickle [^.].*\. (?:Choose|Dump|Wait|If|Extract|Run) .*\.$/);
    });
  }
});
