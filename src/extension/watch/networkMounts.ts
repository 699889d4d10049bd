/** File systems without events for changes by other machines: they must be polled. */

/** Kinds as `/proc/mounts` names them: network file systems, and folders shared with a host. */
const SILENT_KINDS =
  /^(?:nfs4?|cifs|smb3|smbfs|9p|afs|ceph|lustre|gpfs|beegfs|glusterfs|davfs|vboxsf|prl_fs|virtiofs|fuse\.(?:sshfs|ceph|glusterfs|s3fs|goofys|gcsfuse|rclone|juicefs|vmhgfs-fuse|mount-s3|blobfuse2?))$/;

/** The type of a folder's file system if events may be missing, else null. @param mounts `/proc/mounts`, or empty */
export function silentFileSystem(folder: string, mounts: string): string | null {
  let longest = -1;
  let kind: string | null = null;
  for (const line of mounts.split('\n')) {
    const [, point, type] = line.split(' ') as (string | undefined)[];
    if (point === undefined || type === undefined) continue;
    const path = unescaped(point);
    const holds = path === '/' || folder === path || folder.startsWith(`${path}/`);
    // The later one of two mounts on one point is on top.
    if (!holds || path.length < longest) continue;
    longest = path.length;
    kind = SILENT_KINDS.test(type) ? type : null;
  }
  return kind;
}

/** The table of mounts encodes white space as octal numbers. */
function unescaped(path: string): string {
  return path.replace(/\\([0-7]{3})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 8)));
}
