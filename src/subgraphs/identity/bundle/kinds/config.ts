import { z } from 'zod';
import { GatewayError } from '../../../../errors/index.ts';
import { isObject, type JsonObject } from '../../../../lib/json.ts';
import { parseSavedConfig, requireBounded } from '../../../../routing-config/schema.ts';
import { isSecretKey } from '../../../../routing-config/secret-keys.ts';
import { changedOf, type Kind, type SpecPath } from '../kind.ts';
import {
  jsonObject,
  nameText,
  slugText,
  workspaceName,
  workspaceReferences,
  workspaceSelection,
} from './parts.ts';

/** Each member at any depth, with its place. */
function* membersOf(
  value: unknown,
  path: SpecPath,
): Generator<{ name: string; member: unknown; path: SpecPath }> {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    const place = [...path, Array.isArray(value) ? Number(name) : name];
    if (!Array.isArray(value) && member !== null) yield { name, member, path: place };
    if (!(!Array.isArray(value) && isSecretKey(name))) yield* membersOf(member, place);
  }
}

const configMembers = ({ config }: JsonObject) => [...membersOf(config, ['config'])];

/** A copy in which any text stands for each secret. */
function withTexts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withTexts);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      isSecretKey(name) && isObject(member) ? '{}' : withTexts(member),
    ]),
  );
}

export const config: Kind = {
  name: 'Config',
  spec: z.strictObject({
    workspace: slugText,
    name: nameText,
    config: jsonObject,
    isDefault: z.boolean().default(false),
    status: z.enum(['active', 'archived']).default('active'),
  }),
  slug: /^pc-[a-zA-Z0-9_-]+$/,
  fixed: ['workspace'],
  shared: ['isDefault'],
  selection: `id slug name config isDefault status ${workspaceSelection}`,
  list: { field: 'configs(currentPage: $page, pageSize: 1000)', pageSize: 1000 },
  one: 'config(id: $id)',
  read: ({ slug, name, config: stored, isDefault, status, workspace }) => ({
    slug: String(slug),
    spec: { workspace: workspaceName(workspace), name, config: stored, isDefault: isDefault === 1, status },
  }),
  references: (spec) => [
    ...workspaceReferences(spec, 'workspace'),
    ...configMembers(spec).flatMap(({ name, member, path }) =>
      name === 'provider' && typeof member === 'string' && member.startsWith('@')
        ? [{ kind: 'Provider' as const, key: `${spec.workspace}/${member.slice(1)}`, path }]
        : [],
    ),
  ],
  secrets: (spec) => configMembers(spec).flatMap(({ name, path }) => (isSecretKey(name) ? [path] : [])),
  check({ config: given }) {
    try {
      requireBounded(given);
      parseSavedConfig(withTexts(given));
      return [];
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error;
      return [{ path: ['config'], message: error.message }];
    }
  },
  async create({ run, names, slug, spec: { workspace, isDefault, status, ...spec } }) {
    const input = {
      ...spec,
      slug,
      workspaceId: names.workspace(String(workspace)),
      ...(isDefault === true && { isDefault: 1 }),
    };
    const made = await run(
      'mutation ($input: CreateConfigInput!) { result: createConfig(input: $input) { id } }',
      {
        input,
      },
    );
    const id = String(made.id);
    if (status === 'archived') await updateConfig(run, id, { status });
    return { id };
  },
  async update({ run, spec }, { id }, changed) {
    const input = {
      ...changedOf(spec, changed, ['name', 'config', 'status']),
      ...(changed.has('isDefault') && { isDefault: spec.isDefault === true ? 1 : 0 }),
    };
    await updateConfig(run, id, input);
    return undefined;
  },
  remove: (run, { id }) => run('mutation ($id: ID!) { result: deleteConfig(id: $id) }', { id }),
};

const updateConfig = (run: Parameters<Kind['remove']>[0], id: string, input: object) =>
  run(
    'mutation ($id: ID!, $input: UpdateConfigInput!) { result: updateConfig(id: $id, input: $input) { id } }',
    {
      id,
      input,
    },
  );
