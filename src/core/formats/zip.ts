import type { ByteSource } from '../bytes/byteSource.js';
import { SnapshotError } from '../bytes/snapshotError.js';
import { openMember, zipMembers, type ZipMember } from '../bytes/zipDirectory.js';
import type { Format, ReadContext } from './format.js';
import { wrapResult, type ReadResult } from './readResult.js';

/** What `torch.save` writes (the pickle is the member `…/data.pkl`), or one file in a zip archive. */
export const zip: Format = {
  id: 'zip',
  sniff: (head) => head.length >= 4 && head[0] === 0x50 && head[1] === 0x4b && head[2] === 3 && head[3] === 4,
  read,
};

const TORCH_SAVE = /^[^/]*\/data\.pkl$/;

async function read(source: ByteSource, context: ReadContext): Promise<ReadResult> {
  if (!Number.isFinite(source.size)) {
    throw new SnapshotError(
      'unsupported',
      `${source.name} is a compressed zip archive, which is read from its end. Decompress it first.`,
    );
  }
  const member = chosen(source, await zipMembers(source));
  const result = await context.readInner(await openMember(source, member));
  return wrapResult(result, TORCH_SAVE.test(member.name) ? 'torchSave' : zip.id, source.size);
}

function chosen(source: ByteSource, members: readonly ZipMember[]): ZipMember {
  const files = members.filter((member) => !member.name.endsWith('/'));
  const saved = files.find((member) => TORCH_SAVE.test(member.name));
  if (saved !== undefined) return saved;
  if (files.length === 1) return files[0];
  throw new SnapshotError(
    'unsupported',
    `${source.name} is a zip archive of ${files.length} files, none written by torch.save. Take the snapshot out of it.`,
  );
}
