/** Findings as SARIF 2.1.0, for code scanning: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html */
import { recordedKind } from '../model/recordedFile.js';
import type { Bytes } from '../model/units.js';
import { byteText } from '../text/numberText.js';
import { visibleText } from '../text/plainText.js';
import { IGNORE_FILE } from '../report/ignoredLeaks.js';
import type { LineReport, OverBudget, Report, RunReport, StackReport, Verdict } from '../report/report.js';
import { plural } from '../text/plural.js';
import { presentFinding } from '../present/presented.js';
import { findingsOf, lineBytes, type Finding } from '../report/findings.js';
import { categoryText } from '../present/words.js';
import { placeText } from '../text/pathText.js';

const SCHEMA = 'https://json.schemastore.org/sarif-2.1.0.json';
/** Names the workspace folder; the reader defines its place. */
const ROOT = 'SRCROOT';
const FINGERPRINT = 'leaklineFinding/v1';
/** Maximum number of frames per stack. */
const MAX_FRAMES = 32;

type Suspect = 'leak' | 'cycle' | 'growing';
type RuleId = Suspect | 'overBudget' | 'outOfMemory';

interface Rule {
  id: string;
  name: string;
  shortDescription: { text: string };
  fullDescription: { text: string };
  help: { text: string; markdown: string };
  helpUri: string;
  defaultConfiguration: { level: Level };
}

type Level = 'error' | 'warning' | 'note';

const HOME = 'https://github.com/leakline/leakline';

const RULES: Readonly<Record<RuleId, Omit<Rule, 'id' | 'help'> & { advice: string }>> = {
  leak: {
    name: 'GpuMemoryLeak',
    shortDescription: { text: 'GPU memory leak' },
    fullDescription: { text: 'Memory that this statement holds grows with every step and is not released.' },
    advice: 'Release the memory at each step: clear the holder, cap its size, or store a detached copy or a number.',
    helpUri: `${HOME}/blob/main/docs/verdicts.md`,
    defaultConfiguration: { level: 'error' },
  },
  cycle: {
    name: 'GpuMemoryCycle',
    shortDescription: { text: 'GPU memory held by a reference cycle' },
    fullDescription: { text: 'Memory grows until the garbage collector runs.' },
    advice: 'Break the cycle, such as with a weak reference, so that reference counting frees the memory.',
    helpUri: `${HOME}/blob/main/docs/verdicts.md`,
    defaultConfiguration: { level: 'warning' },
  },
  growing: {
    name: 'GpuMemoryGrowing',
    shortDescription: { text: 'GPU memory grows, unconfirmed' },
    fullDescription: { text: 'Memory grows: a buffer and a leak still look the same.' },
    advice: 'Record more steps: a buffer stops growing when it is full.',
    helpUri: `${HOME}/blob/main/docs/verdicts.md`,
    defaultConfiguration: { level: 'note' },
  },
  overBudget: {
    name: 'GpuMemoryOverBudget',
    shortDescription: { text: 'GPU memory over budget' },
    fullDescription: { text: `Memory exceeds the budget in ${IGNORE_FILE}.` },
    advice: 'Lower the memory, or raise the budget in a change of its own.',
    helpUri: `${HOME}/blob/main/docs/ci.md#baseline-and-budget`,
    defaultConfiguration: { level: 'error' },
  },
  outOfMemory: {
    name: 'GpuOutOfMemory',
    shortDescription: { text: 'Out of GPU memory' },
    fullDescription: { text: 'A log holds an out-of-memory message, whose request this line made.' },
    advice: 'Record the program: the snapshot at the failure shows what held the memory.',
    helpUri: `${HOME}/blob/main/docs/cli.md#out-of-memory-messages`,
    defaultConfiguration: { level: 'error' },
  },
};
const RULE_IDS = Object.keys(RULES) as RuleId[];

interface Location {
  physicalLocation: {
    artifactLocation: { uri: string; uriBaseId?: string };
    region?: { startLine: number };
  };
  logicalLocations?: { name: string; kind: 'function' }[];
  message?: { text: string };
  id?: number;
}

/** A log of one run of the tool, ready for `JSON.stringify`. */
export interface SarifLog {
  $schema: string;
  version: '2.1.0';
  runs: {
    tool: { driver: { name: string; informationUri: string; semanticVersion: string; rules: Rule[] } };
    columnKind: 'utf16CodeUnits';
    originalUriBaseIds: Record<string, { description: { text: string } }>;
    results: SarifResult[];
  }[];
}

export interface SarifResult {
  ruleId: string;
  ruleIndex: number;
  level: Level;
  message: { text: string };
  locations: Location[];
  relatedLocations?: Location[];
  stacks?: { message: { text: string }; frames: { location: Location }[] }[];
  partialFingerprints: Record<string, string>;
  /** Set for a leak that the team ignores. */
  suppressions?: { kind: 'external' }[];
  /** Where the workspace has a baseline. */
  baselineState?: 'new' | 'unchanged';
  properties: {
    /** Leaked, live in a cycle, or growth, by the rule. */
    bytes: Bytes;
    [name: string]: string | number | null;
  };
}

/** An out-of-memory message of a log, as far as its result shows it. */
interface ExplainedMessage {
  /** The line that requested memory; a message without one has no result. */
  readonly asked: { readonly file: string; readonly line: number; readonly function: string } | null;
  readonly requestedBytes: Bytes | null;
  readonly sentences: readonly string[];
}

interface SarifOptions {
  /** True if the workspace has a baseline. */
  readonly hasBaseline: boolean;
  /** Folder of the workspace in its repository, with `/` at its end; empty where it is the repository. */
  readonly prefix: string;
  readonly messages?: readonly ExplainedMessage[];
}

/** Every finding that a person has to look at, ignored ones as suppressed; of several runs or ranks that show it, that of the most bytes. @param version of the product */
export function renderSarif(
  report: Pick<Report, 'overBudget' | 'runs'>,
  version: string,
  { hasBaseline, prefix, messages = [] }: SarifOptions = { hasBaseline: false, prefix: '' },
): SarifLog {
  const results = [
    ...report.overBudget.map(overBudgetResult),
    ...messages.flatMap(messageResult),
    ...oncePerPlace(report.runs.flatMap(resultsOf)),
  ];
  numberFingerprints(results);
  for (const result of results) {
    moveBelow(prefix, result);
    if (hasBaseline) result.baselineState ??= 'new';
  }
  return {
    $schema: SCHEMA,
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: { name: 'Leakline', informationUri: HOME, semanticVersion: version, rules: RULE_IDS.map(ruleOf) },
        },
        columnKind: 'utf16CodeUnits',
        originalUriBaseIds: { [ROOT]: { description: { text: 'The workspace that recorded paths are mapped to.' } } },
        results,
      },
    ],
  };
}

function ruleOf(id: RuleId): Rule {
  const { advice, ...rule } = RULES[id];
  const text = `${rule.fullDescription.text} ${advice}`;
  return { id, ...rule, help: { text, markdown: `${text} [More](${rule.helpUri})` } };
}

function oncePerPlace(results: readonly SarifResult[]): SarifResult[] {
  const worst = new Map<string, SarifResult>();
  for (const result of results) {
    const key = JSON.stringify([result.ruleId, result.locations[0]]);
    const known = worst.get(key);
    // A statement that holds new memory is new, too.
    const order = known === undefined ? -1 : Number(isAccepted(result)) - Number(isAccepted(known));
    if (order < 0 || (order === 0 && (known?.properties.bytes ?? 0) < result.properties.bytes)) worst.set(key, result);
  }
  return [...worst.values()];
}

/** True for ignored lines and lines of the baseline. */
export function isAccepted({ suppressions, baselineState }: SarifResult): boolean {
  return suppressions !== undefined || baselineState === 'unchanged';
}

function resultsOf(run: RunReport): SarifResult[] {
  const suspects = run.lines.filter(({ verdict }) => suspectOf(verdict) !== null);
  // Ignored lines are not part of a finding.
  return [false, true].flatMap((ignored) =>
    findingsOf(suspects.filter((line) => line.ignored === ignored)).flatMap((finding) => resultOf(finding, run)),
  );
}

function resultOf(finding: Finding, run: RunReport): SarifResult[] {
  const ruleId = suspectOf(finding.verdict);
  if (ruleId === null) return [];
  const { holder, lines, bytes, bytesPerStep, blocks } = finding;
  const [first] = lines;
  const { category, confidence, inBaseline, ignored } = first;
  const related = holder === null ? [] : lines.map(relatedLocation);
  const stacks = lines.flatMap((line) => line.stacks);
  const location = holder === null ? locationOf(first, first.function) : locationOf(holder, null);
  // Neither bytes nor line numbers: the result stays the same while code around it moves.
  const print =
    holder === null ? [first.file, first.function, first.statement?.text ?? ''] : [holder.file, holder.name];
  const properties = { run: run.id, rank: run.rank, bytes, bytesPerStep, blocks, category, confidence };
  return [
    {
      ...resultOfRule(ruleId, messageOf(finding, run), location, print, properties),
      ...(related.length > 0 ? { relatedLocations: related } : {}),
      ...(stacks.length > 0 ? { stacks: different(stacks.map(stackOf)) } : {}),
      ...(inBaseline ? { baselineState: 'unchanged' as const } : {}),
      ...(ignored && !inBaseline ? { suppressions: [{ kind: 'external' as const }] } : {}),
    },
  ];
}

/** @param print names the result among those of its rule */
function resultOfRule(
  ruleId: RuleId,
  text: string,
  location: Location,
  print: readonly string[],
  properties: SarifResult['properties'],
): SarifResult {
  return {
    ruleId,
    ruleIndex: RULE_IDS.indexOf(ruleId),
    level: RULES[ruleId].defaultConfiguration.level,
    message: { text: visibleText(text) },
    locations: [location],
    partialFingerprints: { [FINGERPRINT]: fingerprint([ruleId, ...print]) },
    properties,
  };
}

/** A budget that no line exceeds alone is shown where it is written. */
function overBudgetResult({ at, measuredBytes, allowedBytes, message }: OverBudget): SarifResult {
  const location = locationOf(at ?? { file: IGNORE_FILE, line: 1 }, null);
  const properties = { bytes: measuredBytes ?? 0, allowedBytes };
  return resultOfRule('overBudget', message, location, [at?.file ?? ''], properties);
}

function messageResult({ asked, requestedBytes, sentences }: ExplainedMessage): SarifResult[] {
  if (asked === null) return [];
  const location = locationOf(asked, asked.function);
  const properties = { bytes: requestedBytes ?? 0 };
  return [resultOfRule('outOfMemory', sentences.join(' '), location, [asked.file, asked.function], properties)];
}

/** Numbers results of one fingerprint by the order of their lines. */
function numberFingerprints(results: readonly SarifResult[]): void {
  const counts = new Map<string, number>();
  const lineOf = ({ locations }: SarifResult): number => locations[0].physicalLocation.region?.startLine ?? 0;
  for (const { partialFingerprints } of [...results].sort((a, b) => lineOf(a) - lineOf(b))) {
    const print = partialFingerprints[FINGERPRINT];
    const count = (counts.get(print) ?? 0) + 1;
    counts.set(print, count);
    partialFingerprints[FINGERPRINT] = `${print}:${count}`;
  }
}

/** Makes addresses of the workspace addresses of its repository. */
function moveBelow(prefix: string, { locations, relatedLocations = [], stacks = [] }: SarifResult): void {
  const folder = prefix.split('/').map(encodePart).join('/');
  const frames = stacks.flatMap((stack) => stack.frames.map(({ location }) => location));
  for (const { physicalLocation } of [...locations, ...relatedLocations, ...frames]) {
    const { artifactLocation } = physicalLocation;
    if (artifactLocation.uriBaseId === ROOT) artifactLocation.uri = folder + artifactLocation.uri;
  }
}

function relatedLocation(line: LineReport, at: number): Location {
  const amount = `${byteText(lineBytes(line))} (${categoryText(line.category)})`;
  return {
    id: at + 1,
    ...locationOf(line, line.function),
    message: { text: `Allocates ${amount}.` },
  };
}

function suspectOf(verdict: Verdict): Suspect | null {
  return (['leak', 'cycle', 'growing'] as const).find((suspect) => suspect === verdict) ?? null;
}

function messageOf(finding: Finding, run: RunReport): string {
  const { sentence, fix, evidence } = presentFinding({ finding, run });
  return [`${sentence}.`, fix, evidence].filter((text) => text !== null).join(' ');
}

function stackOf({ frames, liveBytes, blocks }: StackReport): NonNullable<SarifResult['stacks']>[number] {
  return {
    message: { text: `${byteText(liveBytes)} in ${plural(blocks, 'block')}` },
    frames: frames
      .filter((frame) => recordedKind(frame.file) !== 'native')
      .slice(0, MAX_FRAMES)
      .map((frame) => ({
        location: {
          ...locationOf(frame, frame.function),
          message: { text: visibleText(placeText(frame)) },
        },
      })),
  };
}

/** SARIF allows no equal stacks, and truncated ones can be equal. */
function different<Item>(items: readonly Item[]): Item[] {
  return [...new Map(items.map((item) => [JSON.stringify(item), item])).values()];
}

/** @param name of the function, null if unknown */
function locationOf(place: { file: string; line: number }, name: string | null): Location {
  return {
    physicalLocation: {
      artifactLocation: artifactOf(place.file),
      ...(place.line > 0 ? { region: { startLine: place.line } } : {}),
    },
    ...(name === null
      ? {}
      : {
          logicalLocations: [{ name: visibleText(name), kind: 'function' as const }],
        }),
  };
}

/** A URI of a path: relative ones are the workspace's; of another machine's paths nothing is known but their names. */
function artifactOf(file: string): { uri: string; uriBaseId?: string } {
  // `//?/` only switches Windows' own reading of a path off; `//host/share` is of another machine.
  const path = file
    .replaceAll('\\', '/')
    .replace(/^\/\/[?.]\//, '')
    .replace(/^\/{3,}/, '/');
  const encoded = path.split('/').map(encodePart).join('/');
  if (/^[A-Za-z]:\//.test(path)) return { uri: `file:///${encoded.replace(/^([A-Za-z])%3A/, '$1:')}` };
  if (/^\/\/[\w.-]+\//.test(path)) return { uri: `file:${encoded}` };
  if (path.startsWith('/')) return { uri: `file://${encoded.replace(/^\/+/, '/')}` };
  return { uri: encoded, uriBaseId: ROOT };
}

/** A lone surrogate, which a hostile name may hold, has no encoding. */
function encodePart(part: string): string {
  return encodeURIComponent(part.replace(/[\ud800-\udfff]/gu, '\ufffd'));
}

/** 64 bits of FNV-1a over UTF-16, as hexadecimal digits. */
function fingerprint(parts: readonly string[]): string {
  let hash = 0xcbf29ce484222325n;
  for (const sign of parts.join('\n')) {
    hash ^= BigInt(sign.codePointAt(0) ?? 0);
    hash = (hash * 0x100000001b3n) & 0xffffffffffffffffn;
  }
  return hash.toString(16).padStart(16, '0');
}
