/** Path mapping by its definition, on lists of names: no trees, no indices, every pair looked at. */

interface Pair {
  from: string[];
  to: string[];
  hits: { recorded: string; file: string; length: number }[];
  weight: number;
  depth: number;
  misses: number;
}

type Answer = { pair: Pair; file: string } | string[];

const startsWith = (names: readonly string[], prefix: readonly string[]): boolean =>
  prefix.every((name, i) => names[i] === name);
const equal = (a: readonly string[], b: readonly string[]): boolean => a.length === b.length && startsWith(a, b);
const folderOf = (names: readonly string[]): string[] => names.slice(0, -1);

/** The first name of an absolute path is the root. */
const recordedNames = (path: string): string[] =>
  path.startsWith('/') ? ['/', ...path.slice(1).split('/')] : ['', ...path.split('/')];

/** Answers of POSIX Python files of the user: a file, or all that it could be; nothing for no answer. */
export function mapByBruteForce(
  recorded: readonly string[],
  workspace: readonly string[],
): Map<string, string | string[]> {
  const pairs: Pair[] = [];
  for (const path of recorded) {
    const shared = workspace.map((file) => commonSuffix(recordedNames(path).slice(1), file.split('/')));
    const longest = Math.max(0, ...shared);
    if (longest === 0) continue;
    workspace.forEach((file, i) => {
      if (shared[i] !== longest) return;
      const from = recordedNames(path).slice(0, -longest);
      const to = file.split('/').slice(0, -longest);
      if (!pairs.some((pair) => equal(pair.from, from) && equal(pair.to, to))) {
        pairs.push(weigh(from, to, recorded, workspace));
      }
    });
  }

  const assigned = new Map<string, Answer>();
  const learned: string[][] = [];
  const credible = pairs.filter((pair) =>
    pair.to.length === 0 ? pair.weight >= pair.misses : pair.weight > pair.misses,
  );
  for (const rank of [...new Set(credible.map(rankOf))].sort((a, b) => b - a)) {
    const round = new Map<string, { pair: Pair; file: string }[]>();
    for (const pair of credible.filter((candidate) => rankOf(candidate) === rank)) {
      for (const { recorded: path, file } of pair.hits) {
        if (assigned.has(path)) continue;
        if (pair.depth === 1 && learned.some((prefix) => startsWith(recordedNames(path), prefix))) continue;
        round.set(path, [...(round.get(path) ?? []), { pair, file }]);
      }
    }
    for (const [path, answers] of round) {
      assigned.set(path, answers.length === 1 ? answers[0] : answers.map(({ file }) => file).sort());
      if (answers.length === 1) learned.push(answers[0].pair.from);
    }
  }

  const result = new Map<string, string | string[]>();
  const winners = [
    ...new Set([...assigned.values()].flatMap((answer) => (Array.isArray(answer) ? [] : [answer.pair]))),
  ];
  for (const [path, answer] of assigned) {
    if (Array.isArray(answer)) {
      result.set(path, answer);
      continue;
    }
    const { pair, file } = answer;
    let lost = false;
    let open = false;
    for (const rival of winners) {
      if (rival === pair || !isRival(path, answer, rival, assigned) || withstands(pair, rival)) continue;
      if (withstands(rival, pair)) lost = true;
      else open = true;
    }
    if (!lost) result.set(path, open ? [file] : file);
  }
  return result;
}

function weigh(from: string[], to: string[], recorded: readonly string[], workspace: readonly string[]): Pair {
  const hits: Pair['hits'] = [];
  for (const path of recorded) {
    const names = recordedNames(path);
    if (!startsWith(names, from)) continue;
    const file = [...to, ...names.slice(from.length)].join('/');
    if (workspace.includes(file)) hits.push({ recorded: path, file, length: names.length - from.length });
  }
  const missed = recorded.filter(
    (path) =>
      !hits.some((hit) => hit.recorded === path) &&
      hits.some((hit) => startsWith(folderOf(recordedNames(path)), folderOf(recordedNames(hit.recorded)))),
  );
  const lengths = hits.map(({ length }) => length);
  return {
    from,
    to,
    hits,
    weight: lengths.reduce((total, length) => total + length, 0),
    depth: Math.max(...lengths),
    misses: missed.length,
  };
}

/** More weight, then more depth, then fewer misses, in one number. */
function rankOf({ weight, depth, misses }: Pair): number {
  return weight * 1e6 + depth * 1e3 - misses;
}

function isRival(
  path: string,
  { pair, file }: { pair: Pair; file: string },
  rival: Pair,
  assigned: ReadonlyMap<string, Answer>,
): boolean {
  const won = [...assigned].flatMap(([other, answer]) =>
    !Array.isArray(answer) && answer.pair === rival ? [{ path: other, file: answer.file }] : [],
  );
  const from = common(won.map((answer) => folderOf(recordedNames(answer.path))));
  const to = common(won.map((answer) => folderOf(answer.file.split('/'))));
  if (startsWith(folderOf(recordedNames(path)), from)) return true;
  const folder = folderOf(file.split('/'));
  return pair.depth === 1
    ? startsWith(folder, to)
    : won.some((answer) => equal(folderOf(answer.file.split('/')), folder));
}

function withstands(pair: Pair, rival: Pair): boolean {
  if (isClean(pair)) return true;
  return isClean(rival) ? pair.weight >= 2 * rival.weight : pair.weight > rival.weight;
}

function isClean(pair: Pair): boolean {
  return pair.hits.length > 1 && pair.misses === 0;
}

function commonSuffix(a: readonly string[], b: readonly string[]): number {
  let length = 0;
  while (length < a.length && length < b.length && a[a.length - 1 - length] === b[b.length - 1 - length]) length++;
  return length;
}

function common(paths: readonly string[][]): string[] {
  const [first] = paths;
  let length = first.length;
  while (!paths.every((path) => startsWith(path, first.slice(0, length)))) length--;
  return first.slice(0, length);
}
