import { z } from 'zod';
import {
  guardrailActions,
  mapSecretParameters,
  namedSecret,
  problemsOf,
  secretsNamedIn,
} from '../../../../guardrails/index.ts';
import { isObject, type JsonObject } from '../../../../lib/json.ts';
import {
  changedOf,
  type Kind,
  type Problem,
  type RunField,
  type SpecPath,
  type SpecReference,
} from '../kind.ts';
import { isSource } from '../secrets.ts';
import {
  jsonObject,
  nameText,
  slugText,
  workspaceName,
  workspaceReferences,
  workspaceSelection,
} from './parts.ts';

const feedback = z.strictObject({
  value: z.int().min(-10).max(10),
  weight: z.number().min(0).max(1).default(1),
  metadata: z.json().default(null),
});
const consequence = z
  .strictObject({ feedback: feedback.nullable().default(null) })
  .nullable()
  .default(null);

const check = z.strictObject({
  id: z.string().min(1).max(100),
  name: nameText.nullable().default(null),
  parameters: jsonObject.default({}),
  isEnabled: z.boolean().default(true),
});

const actions = z.strictObject({
  deny: z.boolean().default(false),
  async: z.boolean().default(false),
  sequential: z.boolean().default(false),
  softDeny_200: z.boolean().default(false),
  onSuccess: consequence,
  onFail: consequence,
  scope: z.enum(['last', 'new', 'all']).nullable().default(null),
  stream: z.enum(['window', 'hold', 'report']).nullable().default(null),
  onUnreadable: z.enum(['deny', 'allow']).nullable().default(null),
});

type GuardrailSpec = {
  workspace: string | null;
  checks: z.infer<typeof check>[];
  actions: z.infer<typeof actions>;
};

const outcome = 'feedback { value weight metadata }';

/** The places of credentials; a source stands there as an object of its own. */
function secretPaths({ checks }: GuardrailSpec): SpecPath[] {
  return checks.flatMap(({ id, parameters }, index) => {
    const paths = new Map<string, SpecPath>();
    mapSecretParameters(id, parameters, (text, path) => {
      if (namedSecret(text)) return text;
      const above = path.slice(0, -1);
      const holder = above.reduce<unknown>((value, part) => (value as JsonObject)[part], parameters);
      const place = ['checks', index, 'parameters', ...(isSource(holder) ? above : path)];
      paths.set(place.join('\n'), place);
      return text;
    });
    return [...paths.values()];
  });
}

/** The secret references that stand in the places of credentials. */
const secretReferences = ({ checks }: GuardrailSpec): SpecReference[] =>
  checks.flatMap(({ id, parameters }, index) =>
    secretsNamedIn(id, parameters).map(({ named, path }) => ({
      kind: 'SecretReference',
      key: named.reference,
      path: ['checks', index, 'parameters', ...path],
    })),
  );

/** A copy in which a text stands for each source. */
function withTexts(value: unknown): unknown {
  if (isSource(value)) return 'text';
  if (Array.isArray(value)) return value.map(withTexts);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withTexts(member)]));
}

function problemsIn({ workspace, checks, actions: given }: GuardrailSpec): Problem[] {
  const { softDeny_200, scope, stream, onUnreadable, deny, async, sequential } = given;
  const written = guardrailActions.parse({
    ...{ deny, async, sequential, soft_deny_200: softDeny_200 },
    ...(scope && { scope }),
    ...(stream && { stream }),
    ...(onUnreadable && { on_unreadable: onUnreadable }),
  });
  const definition = {
    checks: checks.map(({ id, parameters, isEnabled }) => ({
      ...{ id, is_enabled: isEnabled },
      parameters: withTexts(parameters) as typeof parameters,
    })),
    actions: written,
  };
  return problemsOf(definition, workspace === null ? 'organisation' : 'workspace').map(
    ({ path, message }) => ({
      path: path
        .split(/[.[\]]+/)
        .flatMap((part) => (part === '' ? [] : /^\d+$/.test(part) ? Number(part) : part)),
      message,
    }),
  );
}

export const guardrail: Kind = {
  name: 'Guardrail',
  spec: z.strictObject({
    workspace: slugText.nullable().default(null),
    name: nameText,
    checks: z.array(check).min(1).max(50),
    actions: actions.prefault({}),
    status: z.enum(['active', 'archived']).default('active'),
  }),
  fixed: ['workspace'],
  selection: `id slug name status ${workspaceSelection} checks { id name parameters isEnabled }
    actions { deny async sequential softDeny_200 onSuccess { ${outcome} } onFail { ${outcome} } scope stream onUnreadable }`,
  list: { field: 'guardrails(currentPage: $page, pageSize: 1000)', pageSize: 1000 },
  one: 'guardrail(id: $id)',
  read: ({ slug, name, status, workspace, checks, actions: shown }) => ({
    slug: String(slug),
    spec: { workspace: workspaceName(workspace), name, checks, actions: shown, status },
  }),
  references: (spec) => [
    ...workspaceReferences(spec, 'workspace'),
    ...secretReferences(spec as GuardrailSpec),
  ],
  secrets: (spec) => secretPaths(spec as GuardrailSpec),
  check: (spec) => problemsIn(spec as GuardrailSpec),
  async create({ run, names, slug, spec: { workspace, status, ...spec } }) {
    const level = workspace === null ? 'Organisation' : '';
    const input = {
      ...spec,
      slug,
      ...(workspace !== null && { workspaceId: names.workspace(String(workspace)) }),
    };
    const made = await run(
      `mutation ($input: Create${level}GuardrailInput!) { result: create${level}Guardrail(input: $input) { id } }`,
      { input },
    );
    const id = String(made.id);
    if (status === 'archived') await updateGuardrail(run, id, { level, input: { status } });
    return { id };
  },
  async update({ run, spec }, { id }, changed) {
    const input = changedOf(spec, changed, ['name', 'checks', 'actions', 'status']);
    await updateGuardrail(run, id, { level: levelOf(spec), input });
    return undefined;
  },
  remove: (run, { id, spec }) =>
    run(`mutation ($id: ID!) { result: delete${levelOf(spec)}Guardrail(id: $id) }`, { id }),
};

/** What the names of the operations have in them. */
const levelOf = ({ workspace }: JsonObject) => (workspace === null ? 'Organisation' : '');

const updateGuardrail = (run: RunField, id: string, { level, input }: { level: string; input: object }) =>
  run(
    `mutation ($id: ID!, $input: UpdateGuardrailInput!) { result: update${level}Guardrail(id: $id, input: $input) { id } }`,
    { id, input },
  );
