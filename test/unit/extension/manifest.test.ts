import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  Color,
  Command,
  ContextKey,
  InternalCommand,
  LanguageModelTool,
  RowKind,
  Setting,
  SETTINGS_SECTION,
  TIMELINE_VIEW_TYPE,
  View,
} from '../../../src/extension/contributions.js';

interface Menu {
  command: string;
  when?: string;
}
interface Manifest {
  icon: string;
  activationEvents: string[];
  capabilities: { untrustedWorkspaces: { supported: unknown; restrictedConfigurations: string[] } };
  contributes: {
    commands: { command: string; title: string; category: string; enablement?: string }[];
    menus: Record<string, Menu[]>;
    viewsContainers: Record<'activitybar' | 'panel', { id: string; icon: string }[]>;
    views: Record<string, { id: string; when?: string }[]>;
    viewsWelcome: { view: string; contents: string; when?: string }[];
    languageModelTools: { name: string; inputSchema: object }[];
    snippets: { path: string }[];
    walkthroughs: { steps: { media: { image: string }; completionEvents: string[] }[] }[];
    colors: { id: string; defaults: Record<string, string> }[];
    configuration: { properties: Record<string, { default: unknown; scope: string }> }[];
  };
}

const root = join(import.meta.dirname, '../../..');
const text = readFileSync(join(root, 'package.json'), 'utf8');
const manifest = JSON.parse(text) as Manifest;
const { contributes } = manifest;
const nls = JSON.parse(readFileSync(join(root, 'package.nls.json'), 'utf8')) as Record<string, string>;
const sorted = (items: Iterable<string>): string[] => [...items].sort();

function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? sources(path) : [path];
  });
}

function whenClauses(): string[] {
  const menus = Object.values(contributes.menus).flat();
  const views = Object.values(contributes.views).flat();
  return [...menus, ...views, ...contributes.viewsWelcome].flatMap(({ when }) => when ?? []);
}

describe('The manifest and the code', () => {
  it('name the same commands', () => {
    assert.deepEqual(sorted(contributes.commands.map(({ command }) => command)), sorted(Object.values(Command)));
  });

  it('keep commands of lenses and rows out of the manifest', () => {
    for (const command of Object.values(InternalCommand)) assert.ok(!text.includes(command), command);
  });

  it('name the same questions of language models', () => {
    assert.deepEqual(
      sorted(contributes.languageModelTools.map(({ name }) => name)),
      sorted(Object.values(LanguageModelTool)),
    );
  });

  it('name the same views, in the same containers', () => {
    const { container, timelineContainer, timeline, ...views } = View;
    assert.deepEqual(sorted(Object.keys(contributes.views)), sorted([container, timelineContainer]));
    const { activitybar, panel } = contributes.viewsContainers;
    assert.deepEqual([activitybar.map(({ id }) => id), panel.map(({ id }) => id)], [[container], [timelineContainer]]);
    assert.deepEqual(sorted(contributes.views[container].map(({ id }) => id)), sorted(Object.values(views)));
    assert.deepEqual(
      contributes.views[timelineContainer].map(({ id }) => id),
      [timeline],
    );
  });

  it('name the same settings, each with a default and a scope', () => {
    const properties = Object.assign({}, ...contributes.configuration.map((group) => group.properties)) as Record<
      string,
      { default: unknown; scope: string }
    >;
    const inCode = Object.values(Setting).map((name) => `${SETTINGS_SECTION}.${name}`);
    assert.deepEqual(sorted(Object.keys(properties)), sorted(inCode));
    for (const [name, { default: value, scope }] of Object.entries(properties)) {
      assert.notEqual(value, undefined, name);
      assert.ok(['resource', 'window'].includes(scope), name);
    }
  });

  it('name the same colors, for every kind of theme', () => {
    assert.deepEqual(sorted(contributes.colors.map(({ id }) => id)), sorted(Object.values(Color)));
    for (const { defaults } of contributes.colors) {
      assert.deepEqual(sorted(Object.keys(defaults)), ['dark', 'highContrast', 'highContrastLight', 'light']);
    }
  });

  it('name the same context keys and row kinds in when clauses', () => {
    const known = new Set<string>([...Object.values(ContextKey), ...Object.values(View)]);
    const used = new Set(whenClauses().flatMap((when) => when.match(/leakline\.\w+/g) ?? []));
    assert.deepEqual(
      [...used].filter((key) => !known.has(key)),
      [],
    );
    assert.deepEqual(
      Object.values(ContextKey).filter((key) => !used.has(key)),
      [],
    );
    const kinds = new Set(
      whenClauses().flatMap((when) => [...when.matchAll(/viewItem == (\w+)/g)].map(([, kind]) => kind)),
    );
    assert.deepEqual(
      [...kinds].filter((kind) => !(Object.values(RowKind) as string[]).includes(kind)),
      [],
    );
  });

  it('put only known commands into menus, and hide commands from the palette that need a row or answer a file', () => {
    const known = new Set<string>(Object.values(Command));
    for (const { command } of Object.values(contributes.menus).flat()) assert.ok(known.has(command), command);
    const hidden = contributes.menus['commandPalette']
      .filter(({ when }) => when === 'false')
      .map(({ command }) => command);
    assert.deepEqual(
      sorted(hidden),
      sorted([
        Command.showLineOnTimeline,
        Command.showSnapshotOnTimeline,
        Command.revealSnapshot,
        Command.compareSelected,
        Command.forgetSnapshot,
        Command.stopIgnoring,
        Command.recorderPath,
      ]),
    );
  });

  it('agree on every text: each key is used and explained, and commands in texts exist', () => {
    const used = new Set([...text.matchAll(/%([\w.]+)%/g)].map(([, key]) => key));
    assert.deepEqual(sorted(used), sorted(Object.keys(nls)));
    const linked = Object.values(nls).flatMap((value) =>
      [...value.matchAll(/\(command:([\w.]+)\)/g)].map(([, id]) => id),
    );
    assert.ok(linked.length > 0);
    const known: readonly string[] = [...Object.values(Command), 'workbench.trust.manage'];
    for (const id of linked) assert.ok(known.includes(id), id);
  });

  it('agree on when to start, and never start in a workspace without Python or pickles', () => {
    assert.deepEqual(sorted(manifest.activationEvents), [
      'onDebugDynamicConfigurations:debugpy',
      'onLanguage:python',
      `onWebviewPanel:${TIMELINE_VIEW_TYPE}`,
      'workspaceContains:**/*.pickle',
      'workspaceContains:**/*.pickle.gz',
    ]);
  });

  it('let a workspace that is not trusted decide nothing that runs, or that costs time or disk', () => {
    const { supported, restrictedConfigurations } = manifest.capabilities.untrustedWorkspaces;
    // VS Code reads the list under this word only.
    assert.equal(supported, 'limited');
    const settings = contributes.configuration.flatMap(({ properties }) => Object.entries(properties));
    const known = new Map(settings);
    for (const name of restrictedConfigurations) assert.ok(known.has(name), name);
    const lists = settings.filter(([, { default: value }]) => Array.isArray(value)).map(([name]) => name);
    const costs = ['leakline.reading.timeLimit', 'leakline.cache.maxSize'];
    assert.deepEqual(sorted(restrictedConfigurations), sorted([...lists, ...costs]));
    const run = contributes.commands.find(({ command }) => command === 'leakline.runWithRecording');
    assert.equal(run?.enablement, 'isWorkspaceTrusted');
  });

  it('have their pictures', () => {
    const icons = [
      manifest.icon,
      ...Object.values(contributes.viewsContainers).flatMap((of) => of.map(({ icon }) => icon)),
    ];
    const steps = contributes.walkthroughs.flatMap((walkthrough) => walkthrough.steps);
    const files = [...icons, ...steps.map(({ media }) => media.image), ...contributes.snippets.map(({ path }) => path)];
    for (const file of files) assert.ok(existsSync(join(root, file)), file);
  });

  it('end each step of the walkthrough with something that happens', () => {
    const known = [...Object.values(Command), ...Object.values(View), ...Object.values(ContextKey)] as string[];
    for (const { completionEvents } of contributes.walkthroughs.flatMap(({ steps }) => steps)) {
      assert.ok(completionEvents.length > 0);
      for (const event of completionEvents) assert.ok(known.includes(event.split(':')[1]), event);
    }
  });

  it('write ids of the manifest in one place only', () => {
    const strays = sources(join(root, 'src/extension'))
      .filter((path) => path.endsWith('.ts') && !path.endsWith('contributions.ts'))
      .flatMap((path) => readFileSync(path, 'utf8').match(/'leakline\.[\w.]+'/g) ?? [])
      .filter((id) => JSON.stringify(contributes).includes(`"${id.slice(1, -1)}"`));
    assert.deepEqual(strays, []);
  });
});
