import { DEFAULT_SETTINGS, withSettings } from '../../core/allocator/settings.js';
import type { WhatIfArguments } from '../arguments.js';
import { UsageError } from '../usageError.js';
import type { Command } from './command.js';
import { SNAPSHOTS, sizeOf, textOrJson, workspaceOptions } from './options.js';

export const whatIf: Command<WhatIfArguments> = {
  name: 'what-if',
  usage: 'what-if [options] FILE',
  help: "reserved memory of the snapshot's allocations under other allocator settings, on another device, or without some lines",
  options: ['root', 'map', 'json', 'out', 'capacity', 'set', 'without'],
  takes: SNAPSHOTS,
  parse: (inputs, values) => {
    if (inputs.length !== 1) throw new UsageError(`what-if takes one snapshot, not ${inputs.length}.`);
    const { set: settings = [], without = [], out = null } = values;
    settings.forEach(checkSetting);
    return {
      command: 'what-if',
      inputs,
      ...workspaceOptions(values),
      ...{ out, output: textOrJson(values), settings },
      capacity: sizeOf('capacity', values, 'the memory of a device, such as 24GiB', 1),
      without: without.map(lineOf),
    };
  },
};

function checkSetting(setting: string): void {
  try {
    withSettings(DEFAULT_SETTINGS, setting);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new UsageError(`--set: ${error.message}`);
  }
}

function lineOf(text: string): WhatIfArguments['without'][number] {
  const [, file = '', line = ''] = /^(.+):([1-9]\d{0,8})$/.exec(text) ?? [];
  if (file === '') throw new UsageError(`--without takes FILE:LINE, such as train.py:40, not '${text}'.`);
  return { file, line: Number(line) };
}
