import type { ByteSource } from '../bytes/byteSource.js';
import { gunzipSource } from '../bytes/inflatingSource.js';
import { readFully } from '../bytes/readFully.js';
import { sliceSource } from '../bytes/sliceSource.js';
import { SnapshotError } from '../bytes/snapshotError.js';
import { openMember, zipMembers, type ZipMember } from '../bytes/zipDirectory.js';
import type { Format, ReadContext } from './format.js';
import { gzip } from './gzip.js';
import { html, VIEWER } from './html.js';
import { findMark } from './html/findMark.js';
import { oneOf, wrapResult, type ReadResult } from './readResult.js';
import { expectFewSnapshots } from './limits.js';
import { checkpoint } from './torch/foreignPickle.js';
import { torchPickle } from './torchPickle.js';
import { t } from '../text/translate.js';

/** A zip archive: from `torch.save` (the member `…/data.pkl`), with one file, or with several snapshots. */
export const zip: Format = {
  id: 'zip',
  sniff: (head) => head.length >= 4 && head[0] === 0x50 && head[1] === 0x4b && head[2] === 3 && head[3] === 4,
  read,
};

const SNAPSHOT_NAME = /\.(?:pickle|pkl)(?:\.gz)?$/i;
/** Bytes that show a kind. */
const HEAD_BYTES = 64;
/** No more than a disk reads anyway. */
const AHEAD_BYTES = 1 << 12;
/** The part of a page before its snapshots. */
const MAX_HEADER = 1 << 19;
const TORCH_SAVE = /^[^/]*\/data\.pkl$/;
/** `torch.save` puts the bytes of each tensor into a member of its own. */
const TENSOR = /^[^/]*\/data\/\d+$/;

async function read(source: ByteSource, context: ReadContext): Promise<ReadResult> {
  if (!Number.isFinite(source.size)) {
    throw new SnapshotError(
      'unsupported',
      t('{0} is a compressed zip archive, which is read from its end. Decompress it first.', source.name),
    );
  }
  const [all, members] = await membersOf(source);
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

/** Members of archives whose snapshots are read one after the other, because choosing them reads each member. */
const known = new WeakMap<ByteSource, readonly [all: readonly ZipMember[], chosen: readonly ZipMember[]]>();

async function membersOf(source: ByteSource): Promise<readonly [readonly ZipMember[], readonly ZipMember[]]> {
  let members = known.get(source);
  if (members === undefined) {
    const all = await zipMembers(source);
    members = [all, await chosen(source, all)];
    known.set(source, members);
  }
  return members;
}

/** The members to read: PyTorch's own, the only file, or every snapshot. Content decides, not the name. */
async function chosen(source: ByteSource, members: readonly ZipMember[]): Promise<readonly ZipMember[]> {
  const files = members.filter((member) => !member.name.endsWith('/'));
  const saved = files.filter((member) => TORCH_SAVE.test(member.name));
  if (saved.length === 1) return saved;
  if (files.length === 1) return files;
  const found: ZipMember[] = [];
  const ahead = readingAhead(source);
  for (const file of files) if (await isSnapshot(ahead, file)) found.push(file);
  expectFewSnapshots(source.name, found.length);
  if (found.length > 0) return found;
  throw new SnapshotError(
    'unsupported',
    t('{0} is a zip archive of {1} files, none of them a snapshot. Choose another file.', source.name, files.length),
  );
}

/** Small members are adjacent: one read covers the heads of many. */
function readingAhead(source: ByteSource): ByteSource {
  let from = 0;
  let piece: Uint8Array = new Uint8Array(0);
  return {
    name: source.name,
    size: source.size,
    unfolding: source.unfolding,
    read: async (offset, into) => {
      if (into.length > AHEAD_BYTES) return source.read(offset, into);
      if (offset < from || offset + into.length > from + piece.length) {
        piece = await readFully(source, offset, AHEAD_BYTES);
        from = offset;
      }
      const got = piece.subarray(offset - from, offset - from + into.length);
      into.set(got);
      return got.length;
    },
  };
}

/** True for a pickle, also gzipped, and for a page of snapshots. Of what is named like one, all that may hold one. */
async function isSnapshot(source: ByteSource, member: ZipMember): Promise<boolean> {
  if (member.encrypted) return SNAPSHOT_NAME.test(member.name);
  const opened = await openMember(source, member);
  const head = await headOf(opened);
  if (torchPickle.sniff(head)) return true;
  if (gzip.sniff(head)) return torchPickle.sniff(await headOf(gunzipSource(opened)));
  if (html.sniff(head)) return (await findMark(sliceSource(opened, 0, MAX_HEADER), 0, [VIEWER])) !== null;
  return SNAPSHOT_NAME.test(member.name) && zip.sniff(head);
}

function headOf(source: ByteSource): Promise<Uint8Array> {
  return readFully(source, 0, Math.min(HEAD_BYTES, source.size));
}
