import type { ByteSource } from '../bytes/byteSource.js';
import { SnapshotError } from '../bytes/snapshotError.js';
import { openMember, zipMembers, type ZipMember } from '../bytes/zipDirectory.js';
import type { Format, ReadContext } from './format.js';
import { oneOf, wrapResult, type ReadResult } from './readResult.js';
import { MOST_SNAPSHOTS, tooManySnapshots } from './snapshotCount.js';
import { checkpoint } from './torch/foreignPickle.js';
import { say } from '../text/say.js';

/** What `torch.save` writes (the pickle is the member `…/data.pkl`), one file in a zip archive, or several snapshots. */
export const zip: Format = {
  id: 'zip',
  sniff: (head) => head.length >= 4 && head[0] === 0x50 && head[1] === 0x4b && head[2] === 3 && head[3] === 4,
  read,
};

const SNAPSHOT_NAME = /\.(?:pickle|pkl)(?:\.gz)?$/i;
const TORCH_SAVE = /^[^/]*\/data\.pkl$/;
/** `torch.save` puts the bytes of each tensor into a member of its own. */
const TENSOR = /^[^/]*\/data\/\d+$/;

async function read(source: ByteSource, context: ReadContext): Promise<ReadResult> {
  if (!Number.isFinite(source.size)) {
    throw new SnapshotError(
      'unsupported',
      say('{0} is a compressed zip archive, which is read from its end. Decompress it first.', source.name),
    );
  }
  const all = await zipMembers(source);
  const members = chosen(source, all);
  const member = members[Math.min(context.member, members.length - 1)];
  const inner = await openMember(source, member);
  const reading = members.length === 1 ? context.readInner(inner) : context.readMember(inner);
  const result = await reading.catch((error: unknown) => {
    const isModel = SnapshotError.is(error, 'forbidden') && all.some(({ name }) => TENSOR.test(name));
    throw isModel ? checkpoint(source, null) : error;
  });
  const container = TORCH_SAVE.test(member.name) ? 'torchSave' : zip.id;
  return wrapResult(oneOf(result, members.length), container, source.size);
}

/** What is read of an archive: PyTorch's own member, the only file, or every file that is named like a snapshot. */
function chosen(source: ByteSource, members: readonly ZipMember[]): ZipMember[] {
  const files = members.filter((member) => !member.name.endsWith('/'));
  const saved = files.find((member) => TORCH_SAVE.test(member.name));
  if (saved !== undefined) return [saved];
  if (files.length === 1) return files;
  const named = files.filter((member) => SNAPSHOT_NAME.test(member.name));
  if (named.length > MOST_SNAPSHOTS) throw tooManySnapshots(source.name);
  if (named.length > 0) return named;
  throw new SnapshotError(
    'unsupported',
    say(
      '{0} is a zip archive of {1} files, none of them named .pickle. Take the snapshots out of it.',
      source.name,
      files.length,
    ),
  );
}
