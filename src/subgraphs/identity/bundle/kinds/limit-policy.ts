import { z } from 'zod';
import type { JsonObject } from '../../../../lib/json.ts';
import { changedOf, type DocumentNames, type Kind, type Problem } from '../kind.ts';
import {
  rateDocument,
  rateLimit,
  rateSelection,
  rateUnits,
  usageDocument,
  usageInput,
  usageLimit,
  usageSelection,
  wholeRate,
  wholeUsage,
} from './limits.ts';
import {
  nameText,
  slugText,
  textUpTo,
  workspaceName,
  workspaceReferences,
  workspaceSelection,
} from './parts.ts';

const factText = z.string().min(1).max(512);
const values = z.union([factText, z.array(factText).min(1).max(500)]);
const condition = z.strictObject({
  key: z.string().min(1).max(255),
  value: values,
  excludes: values.nullable().default(null),
});
type Condition = z.infer<typeof condition>;
type Values = Condition['value'];

const members = {
  workspace: slugText,
  name: nameText.nullable().default(null),
  description: textUpTo(500),
  conditions: z.array(condition).min(1).max(50),
  groupBy: z.array(z.string().min(1).max(255)).min(1).max(10),
};

const selection = `id name description workspaceId conditions { key value excludes } groupBy { key } ${workspaceSelection}`;

/** Conditions with what a document calls the policy's own workspace in the place of what it is called here, or the reverse. */
const renamed = (conditions: unknown, rename: (text: string) => string): Condition[] => {
  const each = (given: Values): Values => (typeof given === 'string' ? rename(given) : given.map(rename));
  return (conditions as Condition[]).map((one) =>
    one.key === 'workspace_id'
      ? { ...one, value: each(one.value), excludes: one.excludes === null ? null : each(one.excludes) }
      : one,
  );
};

function readMembers(node: JsonObject) {
  const { name, description, workspaceId, conditions, groupBy } = node;
  const workspace = workspaceName(node.workspace);
  const own = new Set([workspaceId, (node.workspace as { slug: string } | null)?.slug]);
  return {
    workspace,
    ...{ name, description },
    conditions: renamed(conditions, (text) => (own.has(text) ? String(workspace) : text)),
    groupBy: (groupBy as { key: string }[]).map(({ key }) => key),
  };
}

const writtenConditions = ({ conditions, workspace }: JsonObject, names: DocumentNames) =>
  renamed(conditions, (text) => (text === workspace ? names.workspace(text) : text));

const inputOf = (spec: JsonObject, names: DocumentNames): JsonObject => ({
  ...(spec.name !== null && { name: spec.name }),
  description: spec.description,
  workspaceId: names.workspace(String(spec.workspace)),
  conditions: writtenConditions(spec, names),
  groupBy: (spec.groupBy as string[]).map((key) => ({ key })),
});

const changedInput = (spec: JsonObject, names: DocumentNames, changed: ReadonlySet<string>): JsonObject => ({
  ...changedOf(spec, changed, ['name', 'description']),
  ...(changed.has('conditions') && { conditions: writtenConditions(spec, names) }),
});

const limitOf = (spec: JsonObject) => spec.limit as JsonObject;

const slugOf = (spec: JsonObject): string =>
  String(spec.name ?? `${limitOf(spec).type}-by-${(spec.groupBy as string[]).join('-')}`);

function checkUpdate(spec: JsonObject, before: JsonObject): Problem[] {
  const problems: Problem[] = [];
  if (spec.name === null && before.name !== null)
    problems.push({ path: ['name'], message: 'cannot be taken away.' });
  if (limitOf(spec).type !== limitOf(before).type)
    problems.push({
      path: ['limit', 'type'],
      message: 'cannot change: delete the policy first, or give the document another slug.',
    });
  return problems;
}

/** What both kinds of policies do alike. `name`: as the operations have it. */
const kindOf = (name: 'UsageLimitPolicy' | 'RateLimitPolicy', listField: string) => ({
  name,
  list: { field: `${listField}(currentPage: $page, pageSize: 1000)`, pageSize: 1000 },
  slugOf,
  references: (spec: JsonObject) => workspaceReferences(spec, 'workspace'),
  checkUpdate,
  remove: ((run, { id }) =>
    run(`mutation ($id: ID!) { result: delete${name}(id: $id) }`, { id })) as Kind['remove'],
});

const createText = (name: string) =>
  `mutation ($input: Create${name}Input!) { result: create${name}(input: $input) { id } }`;
const updateText = (name: string) =>
  `mutation ($id: ID!, $input: Update${name}Input!) { result: update${name}(id: $id, input: $input) { id } }`;

export const usageLimitPolicy: Kind = {
  ...kindOf('UsageLimitPolicy', 'usageLimitPolicies'),
  spec: z.strictObject({ ...members, limit: usageLimit(0) }),
  fixed: ['workspace', 'groupBy'],
  selection: `${selection} ${usageSelection}`,
  one: 'usageLimitPolicy(id: $id)',
  read: (node) => ({ slug: null, spec: { ...readMembers(node), limit: usageDocument(node) } }),
  async create({ run, names, spec }) {
    const input = { ...inputOf(spec, names), ...limitOf(spec) };
    const made = await run(createText('UsageLimitPolicy'), { input });
    return { id: String(made.id) };
  },
  async update({ run, names, spec }, { id, node }, changed) {
    const input = {
      ...changedInput(spec, names, changed),
      ...(changed.has('limit') && wholeUsage(usageInput(limitOf(spec), [node]))),
    };
    await run(updateText('UsageLimitPolicy'), { id, input });
    return undefined;
  },
};

export const rateLimitPolicy: Kind = {
  ...kindOf('RateLimitPolicy', 'rateLimitPolicies'),
  spec: z.strictObject({
    ...members,
    target: z.enum(['llm', 'mcp_tools']).default('llm'),
    limit: rateLimit(1, rateUnits.slice(1)),
  }),
  fixed: ['workspace', 'groupBy', 'target'],
  selection: `${selection} target ${rateSelection}`,
  one: 'rateLimitPolicy(id: $id)',
  read: (node) => ({
    slug: null,
    spec: { ...readMembers(node), target: node.target, limit: rateDocument(node) },
  }),
  async create({ run, names, spec }) {
    const input = { ...inputOf(spec, names), ...limitOf(spec), target: spec.target };
    const made = await run(createText('RateLimitPolicy'), { input });
    return { id: String(made.id) };
  },
  async update({ run, names, spec }, { id }, changed) {
    const input = {
      ...changedInput(spec, names, changed),
      ...(changed.has('limit') && wholeRate(limitOf(spec))),
    };
    await run(updateText('RateLimitPolicy'), { id, input });
    return undefined;
  },
};
