/** What the names of snapshots tell: rank, step, time, and which files belong together. */

const RANK = /(?:^|[^a-z])rank[_-]?(\d+)/i;
/** Folders that a launcher makes anew for every step; other numbered folders are runs of their own. */
const STEP_FOLDER = /^(?:(?:global)?[_-]?(?:step|iter|iteration|epoch)s?[_-]?)?\d+$/i;
/** Words whose number names a process or a job, and no step. */
const OF_A_PROCESS =
  /(?<![a-z])(?:rank|gpu|cuda|device|worker|proc|process|pid|node|host|run|job|exp|experiment|trial|seed|fold|attempt|version|v)[_-]?\d+/gi;
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const YEAR = '(?<year>20\\d\\d)';
const MONTH = '(?<month>0[1-9]|1[0-2])';
const DAY = '(?<day>0[1-9]|[12]\\d|3[01])';
const CLOCK =
  '(?<hour>[01]\\d|2[0-3])[-_.:h]?(?<minute>[0-5]\\d)(?:[-_.:m]?(?<second>[0-5]\\d)(?:[._](?<part>\\d{1,9}))?)?';
/** Times as programs write them into names: ISO and its compact forms, PyTorch's `%b_%d_%H_%M_%S`, a Unix time. */
const TIMES = [
  new RegExp(`(?<!\\d)${YEAR}[-_.]?${MONTH}[-_.]?${DAY}(?:[-_ T.]?${CLOCK})?(?!\\d)`, 'i'),
  new RegExp(`(?<![a-z])(?<word>${MONTHS.join('|')})[-_ ]?${DAY}[-_ ](?:${YEAR}[-_ ])?${CLOCK}(?!\\d)`, 'i'),
  /(?<!\d)(?<unix>1[4-9]\d{8})(?:[._]?(?<part>\d{3}|\d{6}|\d{9}))?(?!\d)/,
  /(?<!\d)(?<hour>[01]\d|2[0-3])[-_.:h](?<minute>[0-5]\d)[-_.:m](?<second>[0-5]\d)(?!\d)/,
];

interface NamedTime {
  /** What orders the names; comparable where they are written alike. */
  at: number;
  /** The part of the name that says it. */
  text: string;
}

/** The rank that a path names, as launchers write it (`rank0_…`, `…/rank1/…`), null if it names none. */
export function rankOf(path: string): number | null {
  const match = RANK.exec(path.replaceAll('\\', '/'));
  return match === null ? null : Number(match[1]);
}

/** The step that a path names: the last number of the file's name that is neither rank nor time, else that of a step folder. */
export function stepOf(path: string): number | null {
  const parts = path.replaceAll('\\', '/').split('/');
  const numbers = withoutTime(stem(parts.pop() ?? ''))
    .replace(OF_A_PROCESS, '')
    .match(/\d+/g);
  const last = numbers?.at(-1) ?? parts.findLast((part) => STEP_FOLDER.test(part))?.match(/\d+/)?.[0];
  return last === undefined || last.length > 15 ? null : Number(last);
}

/** True if the number that {@link stepOf} takes from a path is called a step there, and not just any number. */
export function saysStep(path: string): boolean {
  const step = stepOf(path);
  return step !== null && new RegExp(`(?:step|iter|iteration|batch)(?:e?s)?[_-]?0*${step}(?!\\d)`, 'i').test(path);
}

/** The time that a file's name tells, null if it tells none. Orders names that are written alike, no more. */
export function timeOfName(path: string): number | null {
  return timeIn(stem(path.replaceAll('\\', '/').split('/').pop() ?? ''))?.at ?? null;
}

/** Equal for the files of one process, as names go: alike but for steps and times. */
export function patternOf(path: string): string {
  const parts = path.replaceAll('\\', '/').split('/');
  const file = parts.pop() ?? '';
  const folders = parts.map((part) => (STEP_FOLDER.test(part) ? part.replace(/\d+/, '#') : part));
  const numbers = new RegExp(`(?<ofProcess>${OF_A_PROCESS.source})|\\d+`, 'gi');
  const name = withoutTime(file).replace(numbers, (_, ofProcess: string | undefined) => ofProcess ?? '#');
  return [...folders, name].join('/');
}

export function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1);
}

function stem(file: string): string {
  return file.replace(/\.[^.]*$/, '');
}

function withoutTime(name: string): string {
  const time = timeIn(name);
  return time === null ? name : name.replace(time.text, '#');
}

function timeIn(name: string): NamedTime | null {
  for (const form of TIMES) {
    const match = form.exec(name);
    if (match?.groups === undefined) continue;
    const { word, unix, part = '0', ...fields } = match.groups as Record<string, string | undefined>;
    const [year, month, day, hour, minute, second] = ['year', 'month', 'day', 'hour', 'minute', 'second'].map((field) =>
      Number(fields[field] ?? 0),
    );
    const months = word === undefined ? month : MONTHS.indexOf(word.toLowerCase()) + 1;
    const fraction = Number(`0.${part}`);
    const at =
      unix === undefined
        ? ((((year * 12 + months) * 31 + day) * 24 + hour) * 60 + minute) * 60 + second + fraction
        : Number(unix) + fraction;
    return { at, text: match[0] };
  }
  return null;
}
