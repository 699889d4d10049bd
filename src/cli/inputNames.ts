/** One name for each input, however it is written: names become keys of runs, digests and reports. */
import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { splitMember } from '../core/model/memberPath.js';
import { rankOf } from '../core/attribution/paths/pathRank.js';
import type { JobCommand } from './arguments.js';

/** The command with absolute names of its inputs, in which no folder is a link. Names of what is not there stay. */
export async function withNames<Of extends JobCommand>(command: Of): Promise<Of> {
  const inputs: string[] = [];
  // One at a time: together, 20,000 take 100 MB.
  for (const path of command.inputs) inputs.push(await nameOf(path));
  if (command.command !== 'digest' || command.name === null) return { ...command, inputs };
  return { ...command, inputs, name: await nameOf(command.name) };
}

async function nameOf(path: string): Promise<string> {
  const real = await realName(path);
  if (real === null) return path;
  // A link can be all that says the rank.
  const written = resolve(path);
  return rankOf(real) === rankOf(written) ? real : written;
}

/** The path without links to folders; null if there is no such file or folder. */
async function realName(path: string): Promise<string | null> {
  const facts = await stat(path).catch(() => null);
  if (facts?.isDirectory() === true) return realpath(path);
  const member = facts === null ? splitMember(path) : null;
  if (facts === null && (member === null || (await stat(member.file).catch(() => null)) === null)) return null;
  return join(await realpath(dirname(path)), basename(path));
}
