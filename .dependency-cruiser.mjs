/**
 * The walls between the rooms, and no imports in a circle, those of types included. docs/architecture.md tells what lives
 * in each room; test/unit/house/walls.test.ts plants an import through each wall.
 */
export const core =
  'text bytes pickle formats model allocator attribution timeline digest runs facts verdict python retention report present render oom'
    .split(' ')
    .map((room) => `core/${room}`);

/** Which other rooms of `src` each room may import. What is not named here is behind a wall. */
export const rooms = {
  'core/text': [],
  'core/model': [],
  'core/python': [],
  'core/bytes': ['core/text'],
  'core/pickle': ['core/bytes', 'core/text'],
  'core/formats': ['core/bytes', 'core/pickle', 'core/model', 'core/text'],
  'core/allocator': ['core/model', 'core/text'],
  'core/attribution': ['core/model'],
  'core/timeline': ['core/model', 'core/attribution'],
  'core/digest': 'text model allocator attribution timeline'.split(' ').map((room) => `core/${room}`),
  'core/runs': ['core/model', 'core/attribution', 'core/timeline', 'core/digest'],
  'core/facts': 'text model attribution digest'.split(' ').map((room) => `core/${room}`),
  'core/verdict': 'text model attribution digest runs facts'.split(' ').map((room) => `core/${room}`),
  'core/retention': ['core/python'],
  'core/report': 'model allocator attribution digest runs facts verdict python retention text'
    .split(' ')
    .map((room) => `core/${room}`),
  'core/oom': ['core/model', 'core/allocator', 'core/attribution', 'core/text'],
  'core/present': 'model attribution runs verdict report oom text'.split(' ').map((room) => `core/${room}`),
  'core/render': 'model attribution report present text'.split(' ').map((room) => `core/${room}`),
  protocol: core,
  node: core,
  worker: [...core, 'node', 'protocol'],
  cli: [...core, 'node'],
  extension: [
    'core/model',
    'core/attribution',
    'core/report',
    'core/present',
    'core/render',
    'core/oom',
    'core/text',
    'protocol',
    'node',
  ],
};

const any = (names) => `(${names.join('|')})`;

/** The rooms of the webview, from the lowest up. Each imports only those before it. */
const floors = [
  'model',
  'text',
  'ui',
  'actions',
  'parts',
  'chart',
  'layer',
  any(['series', 'live', 'flame', 'map', 'run', 'whatIf']),
  'compare',
  'page',
];
const noImportUp = floors.map((floor, at) => ({
  name: `up from webview/${floor}`,
  severity: 'error',
  comment: 'No import of the webview runs up: webview/app.ts is the top.',
  from: { path: `^webview/${floor}/` },
  to: { path: `^webview/(${[...floors.slice(at + 1).map((higher) => `${higher}/`), '[^/]+$'].join('|')})` },
}));

/** Rooms that know Node. Only the extension knows the editor. */
const nodeRooms = ['node', 'worker', 'cli', 'extension'];

/** The wall around a room of `src`. */
const wallAround = ([room, may]) => ({
  name: `src/${room}`,
  severity: 'error',
  comment: `src/${room} imports ${may.length === 0 ? 'no other room' : `only ${may.join(', ')}`}.`,
  from: { path: `^src/${room}/` },
  to: {
    path: '^(src|webview|test|bench|scripts|recorder|examples)/',
    pathNot: `^src/(core/(factOf|maps)\\.ts$|${any([room, ...may])}/)`,
  },
});

export default {
  forbidden: [
    ...Object.entries(rooms).map(wallAround),
    ...noImportUp,
    {
      name: 'webview',
      severity: 'error',
      comment: 'The webview imports only the messages, and the texts and words that all surfaces share.',
      from: { path: '^webview/' },
      to: { path: '^(src|test|bench|scripts)/', pathNot: '^src/(protocol/|core/text/|core/present/words\\.ts$)' },
    },
    {
      name: 'no-node',
      severity: 'error',
      comment: 'The core, the messages and the webview run without Node.',
      from: { path: '^(src|webview)/', pathNot: `^src/${any(nodeRooms)}/` },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'no-editor',
      severity: 'error',
      comment: 'Only the extension knows the editor.',
      from: { path: '^(src|webview)/', pathNot: '^src/extension/' },
      to: { path: '^vscode$' },
    },
    {
      name: 'toolkit',
      severity: 'error',
      comment: 'Only webview/ui knows the toolkit.',
      from: { path: '^(src|webview)/', pathNot: '^webview/ui/' },
      to: { path: 'webview-ui-toolkit' },
    },
    {
      name: 'no-tests',
      severity: 'error',
      comment: 'Nothing that ships imports from test.',
      from: { path: '^(src|webview|scripts)/' },
      to: { path: '^test/' },
    },
    { name: 'no-circle', severity: 'error', from: {}, to: { circular: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(dist|out|fixtures|examples)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.base.json' },
    enhancedResolveOptions: { extensions: ['.ts', '.mjs', '.js'] },
  },
};
