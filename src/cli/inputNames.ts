/** One name for each input, however it is written: names become keys of runs, digests and reports. */
import { realpath, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { splitMember } from '../core/model/memberPath.js';
import type { JobCommand } from './arguments.js';

/** The command with absolute names of its inputs, in which no folder is a link. Names of what is not there stay. */
export async function withNames<Of extends JobCommand>(command: Of): Promise<Of> {
  const inputs = await Promise.all(command.inputs.map(nameOf));
  if (command.command !== 'digest' || command.name === null) return { ...command, inputs };
  return { ...command, inputs, name: await nameOf(command.name) };
}

async function nameOf(path: string): Promise<string> {
  const facts = await stat(path).catch(() => null);
  if (facts?.isDirectory() === true) return realpath(path);
  const file = facts === null ? splitMember(path)?.file : path;
  if (file === undefined || (await stat(file).catch(() => null)) === null) return path;
  // The name of a linked file stays: it may say the rank.
  return join(await realpath(dirname(path)), basename(path));
}
