import { describe, expect, it } from '@jest/globals';
import { nodeSchema } from '../../console/src/pages/configs/parts/node-schema.ts';
import { templates } from '../../console/src/pages/configs/parts/templates.ts';
import {
  configIn,
  type Node,
  partAt,
  textOf,
  treeOf,
  withPart,
} from '../../console/src/pages/configs/parts/tree.ts';
import { changedIn, writtenOf } from '../../console/src/ui/schema/schema.ts';
import { configs as ofDemo } from '../../seeds/demo/catalogue.ts';
import { configJsonSchema } from '../../src/routing-config/json-schema.ts';

const to = (model: string) => ({ provider: '@mock', override_params: { model } });

/** Configs of all kinds, and texts that are none. */
const fixtures: Record<string, unknown> = {
  ...Object.fromEntries(templates.map(({ name, config }) => [`template ${name}`, config])),
  ...Object.fromEntries(ofDemo.map(({ slug, config }) => [slug, config])),
  'nothing at all': {},
  'groups in groups': {
    strategy: { mode: 'loadbalance', sticky: { enabled: true, hash_fields: ['metadata._user'], ttl: 60 } },
    targets: [
      {
        weight: 0.25,
        strategy: { mode: 'fallback', on_status_codes: [429, 503] },
        targets: [to('mock-error-503'), { ...to('mock-1'), retry: { attempts: 3 } }],
      },
      { ...to('mock-slow-50'), weight: 0.75, request_timeout: 500 },
    ],
  },
  'conditions, and circuits': {
    strategy: {
      mode: 'conditional',
      conditions: [
        {
          query: { $or: [{ 'metadata.plan': { $in: ['gold', 'silver'] } }, { 'params.model': 'x' }] },
          // biome-ignore lint/suspicious/noThenProperty: a config names the target of a condition so.
          then: 'a',
        },
      ],
      default: 'b',
      cb_config: { failure_threshold: 2, cooldown_interval: 30_000, failure_status_codes: [500] },
    },
    targets: [
      { name: 'a', ...to('mock-1') },
      { name: 'b', virtual_key: 'main', default_params: { temperature: 0, stop: ['\n', '"'] } },
    ],
  },
  'guardrails, lists and a cache': {
    cache: { mode: 'semantic', max_age: 120, namespace: 'π' },
    before_request_hooks: [
      { id: 'g', type: 'guardrail', checks: [{ id: 'default.contains', words: [' a '] }] },
    ],
    output_guardrails: ['no-passwords', { 'default.regexMatch': { rule: '\\d+\n' }, deny: true }],
    drop_params: ['user', 'messages[*].name'],
    forward_headers: ['x-one', 'X-Two'],
    ...to('mock-1'),
  },
  'keys in camelCase, and keys that nobody knows': {
    overrideParams: { model: 'mock-1' },
    requestTimeout: 1000,
    somethingElse: ' two  spaces ',
    list: [1, '1', null, true],
    provider: '@mock',
  },
  'members of other types': { provider: 7, weight: '0.5', retry: null, cache: 'simple', strategy: ['x'] },
  'targets that are none': { strategy: { mode: 'fallback' }, targets: [null, 'x', [], to('mock-1')] },
};

const nodesOf = (node: Node): Node[] => [node, ...node.children.flatMap(nodesOf)];

/** What the form of a node makes of a config, once members of it are written anew. */
function applied(config: unknown, path: string, changes: Record<string, string> = {}): unknown {
  const part = partAt(config, path);
  const schema = nodeSchema(configJsonSchema, part);
  return withPart(config, path, changedIn(schema, part, { ...writtenOf(schema, part), ...changes }));
}

/** Nodes whose part is an object, which alone has members. */
const editable = (config: unknown) =>
  nodesOf(treeOf(config)).filter(({ path }) => Object.keys(partAt(config, path)).length > 0);

describe.each(Object.entries(fixtures))('%s', (_name, config) => {
  const text = textOf(config);

  it('is the same text after each node was opened as a form and applied', () => {
    for (const { path } of editable(config)) {
      expect([path, textOf(applied(configIn(text), path))]).toEqual([path, text]);
    }
  });

  it('has each of its targets in the picture, at its path', () => {
    const countIn = (part: any): number =>
      1 +
      (Array.isArray(part?.targets)
        ? part.targets.reduce((sum: number, one: any) => sum + countIn(one), 0)
        : 0);
    const paths = nodesOf(treeOf(config)).map(({ path }) => path);
    expect(new Set(paths).size).toBe(countIn(config));
  });

  it('changes in nothing but what a form has changed, and is what it was when that is undone', () => {
    for (const { path } of editable(config)) {
      const before = partAt(config, path);
      const changed = applied(config, path, { [spelling(before)]: '1234' });
      expect(partAt(changed, path)).toMatchObject({ ...before, ...timeoutOf(before) });
      const undone = applied(changed, path, undoing(before));
      expect(undone).toEqual(config);
    }
  });
});

const spelling = (part: object) => ('requestTimeout' in part ? 'requestTimeout' : 'request_timeout');
const timeoutOf = (part: object) => ({ [spelling(part)]: 1234 });
const undoing = (part: Record<string, unknown>) => ({ [spelling(part)]: String(part[spelling(part)] ?? '') });

describe('the form of a node', () => {
  it('has a field for each key that the schema of the server knows, but for the targets', () => {
    const known = Object.keys((configJsonSchema as { properties: object }).properties);
    const fields = Object.keys(nodeSchema(configJsonSchema, {}).properties ?? {});
    expect(fields).toEqual(known.filter((name) => name !== 'targets'));
    expect(fields).toContain('override_params');
  });

  it('names a key as the config spells it, so that nothing is said twice', () => {
    const fields = Object.keys(nodeSchema(configJsonSchema, { overrideParams: {} }).properties ?? {});
    expect(fields).toContain('overrideParams');
    expect(fields).not.toContain('override_params');
  });
});
