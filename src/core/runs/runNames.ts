/** Facts in the names of snapshots: step, time, and which files belong together. */

/** Names of a step, before its number. */
const NAMED_STEP =
  /(?<![a-z])(?:global[_-]?)?(?:steps?|iters?|iterations?|epochs?|batch[_-]?idx)[_=-]?(?<step>\d+)(?![\d]|\.\d)/gi;
/** The recorder's suffix of a snapshot's name. */
const RECORDER_WORD = /#_(?:oom|light)$/;
/** A number at the end of a name, and the part before it. */
const COUNTER = /^(?<before>.*?)(?<![\d.]|\d[._-])(?<number>\d+)[^\da-z]*$/i;
/** Words of a configuration. Their number is part of the run, not a step. */
const CONFIGURATION =
  /(?:^|[^a-z])(?:ctx|context|seq|sequence|len|length|seqlen|fp|bf|float|int|bits?|b|bs|bsz|batch|size|dim|d|hidden|width|layers?|depth|heads?|model|cl|tokens?|vocab|lr|k|n|chunk|tile|block|res|resolution|img|image|px|crop|window|world|tp|pp|dp|cp|ep|zero|stage|q|w|x)[_=-]?$|[a-z]\d+x$/i;
/** Folders that a launcher makes again for every step; other numbered folders are runs of their own. */
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
  /(?<!\d)(?<unix>1[4-9]\d{8})(?:[._]?(?<part>\d{3}|\d{6}|\d{9})|\.(?<fine>\d{1,8}))?(?!\d)/,
  /(?<!\d)(?<hour>[01]\d|2[0-3])[-_.:h](?<minute>[0-5]\d)[-_.:m](?<second>[0-5]\d)(?!\d)/,
];

interface NamedTime {
  /** The sort key of names; comparable for names of one pattern. */
  at: number;
  /** The part of the name with it. */
  text: string;
}

/** The step in a path: the last number of the file's name after such a word, else of a step folder. */
export function stepOf(path: string): number | null {
  const parts = path.replaceAll('\\', '/').split('/');
  const named = [...withoutTime(stem(parts.pop() ?? '')).matchAll(NAMED_STEP)].at(-1)?.groups?.['step'];
  const folder = parts.findLast((part) => STEP_FOLDER.test(part))?.match(/[a-z][^a-z\d]*(\d+)$/i)?.[1];
  return numberOf(named ?? folder);
}

/** The last number of a file's name without a word: a step if other names differ only in it. */
export function counterOf(path: string): number | null {
  const parts = path.replaceAll('\\', '/').split('/');
  const name = withoutSteps(stem(parts.pop() ?? ''));
  return numberOf(
    counterIn(name) ?? (name.includes('#') ? undefined : parts.findLast((part) => STEP_FOLDER.test(part))),
  );
}

function counterIn(name: string): string | undefined {
  const counter = COUNTER.exec(name.replace(OF_A_PROCESS, ''))?.groups;
  return counter === undefined || CONFIGURATION.test(counter['before'] ?? '') ? undefined : counter['number'];
}

/** A name with open times and steps. */
function withoutSteps(name: string): string {
  return withoutTime(name)
    .replace(NAMED_STEP, (match) => match.replace(/\d+$/, '#'))
    .replace(RECORDER_WORD, '#');
}

function numberOf(digits: string | undefined): number | null {
  return digits === undefined || digits.length > 15 || !/^\d+$/.test(digits) ? null : Number(digits);
}

/** The step in a path if its word counts the steps of a trace: an epoch has many. */
export function traceStepOf(path: string): number | null {
  const step = stepOf(path);
  const counts = new RegExp(`(?:step|iter|iteration|batch[_-]?idx)s?[_=-]?0*${step}(?!\\d)`, 'i').test(path);
  return counts ? step : null;
}

/** The time in a file's name, or null. It only orders names of one pattern. */
export function timeOfName(path: string): number | null {
  return timeIn(stem(path.replaceAll('\\', '/').split('/').pop() ?? ''))?.at ?? null;
}

/** Equal for the files of one process, as names go: alike but for steps, times and a counter at the end. */
export function patternOf(path: string): string {
  const parts = path.replaceAll('\\', '/').split('/');
  const file = parts.pop() ?? '';
  const folders = parts.map((part) => (STEP_FOLDER.test(part) ? part.replace(/\d+/, '#') : part));
  const name = stem(file);
  const numbers = new RegExp(`(?:${OF_A_PROCESS.source})|\\d+`, 'gi');
  const open = withoutSteps(name);
  const last =
    counterIn(open) === undefined ? null : [...open.matchAll(numbers)].filter(([one]) => /^\d/.test(one)).at(-1);
  const counted = last == null ? open : open.slice(0, last.index) + '#' + open.slice(last.index + last[0].length);
  return [...folders, counted + file.slice(name.length)].join('/');
}

export function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1);
}

function stem(file: string): string {
  return file.replace(/\.(?:[a-z]+\.gz|[^.]*)$/i, '');
}

function withoutTime(name: string): string {
  const time = timeIn(name);
  return time === null ? name : name.replace(time.text, '#');
}

function timeIn(name: string): NamedTime | null {
  for (const form of TIMES) {
    const match = form.exec(name);
    if (match?.groups === undefined) continue;
    const { word, unix, fine = '0', part = fine, ...fields } = match.groups as Record<string, string | undefined>;
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
