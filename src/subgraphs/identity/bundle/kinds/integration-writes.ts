import { isObject, type JsonObject } from '../../../../lib/json.ts';
import { changedOf, type Present, type RunField, type Write } from '../kind.ts';
import { limitInput } from './integration-limits.ts';
import { mappingInput } from './mappings.ts';

/** The most models that one call takes. */
const MOST_ITEMS = 500;

const isMapping = (value: unknown): value is JsonObject => isObject(value) && 'secretReference' in value;

/** Key and configurations as the operations take them: what a secret manager keeps goes into mappings. */
function credential({ key, configurations }: JsonObject) {
  const settings = Object.entries(configurations as JsonObject);
  return {
    key: isMapping(key) ? null : key,
    configurations: Object.fromEntries(settings.filter(([, value]) => !isMapping(value))),
    secretMappings: [
      ...(isMapping(key) ? [mappingInput('key', key)] : []),
      ...settings.flatMap(([name, value]) => (isMapping(value) ? [mappingInput(name, value)] : [])),
    ],
  };
}

export async function create(write: Write) {
  const { run, names, slug, spec } = write;
  const input = {
    ...changedOf(spec, new Set(Object.keys(spec)), [
      'name',
      'description',
      'aiProviderId',
      'pricingAdjustments',
      'tags',
    ]),
    ...credential(spec),
    slug,
    createDefaultProvider: false,
    ...(spec.workspace !== null && { workspaceId: names.workspace(String(spec.workspace)) }),
  };
  const made = await run(
    'mutation ($input: CreateIntegrationInput!) { result: createIntegration(input: $input) { id } }',
    { input },
  );
  const id = String(made.id);
  if ((spec.models as []).length > 0 || spec.allowAllModels !== true) await updateModels(write, id, []);
  if (spec.workspace === null && !isForAll(spec)) await updateWorkspaces(write, id, null, true);
  return { id };
}

const lists = ['workspaces', 'deniedWorkspaces', 'workspaceLimits'];

const isForAll = (spec: JsonObject) =>
  spec.allWorkspaces === true && lists.every((name) => (spec[name] as []).length === 0);

export async function update(write: Write, present: Present, changed: ReadonlySet<string>) {
  const { run, spec } = write;
  const { id, node } = present;
  const { key, ...others } = credential(spec);
  const input = {
    ...changedOf(spec, changed, ['name', 'description', 'pricingAdjustments', 'tags']),
    ...(changed.has('key') && { key }),
    ...(changed.has('configurations') && { configurations: others.configurations }),
    ...((changed.has('key') || changed.has('configurations')) && { secretMappings: others.secretMappings }),
  };
  if (Object.keys(input).length > 0)
    await run(
      'mutation ($id: ID!, $input: UpdateIntegrationInput!) { result: updateIntegration(id: $id, input: $input) { id lastUpdatedAt } }',
      { id, input },
    );
  if (changed.has('models') || changed.has('allowAllModels'))
    await updateModels(write, id, present.spec.models as JsonObject[]);
  if (['allWorkspaces', ...lists].some((name) => changed.has(name)))
    await updateWorkspaces(write, id, node as Limited, changed.has('workspaceLimits'));
  return undefined;
}

async function updateModels({ run, spec }: Write, id: string, before: JsonObject[]) {
  const models = spec.models as JsonObject[];
  const kept = new Set(models.map(({ slug }) => slug));
  const slugs = before.flatMap(({ slug }) => (kept.has(slug) ? [] : [slug]));
  for (const some of inTurns(slugs)) await removeModels(run, id, some);
  for (const some of inTurns(models, { atLeastOne: true }))
    await run(
      'mutation ($id: ID!, $input: UpdateIntegrationModelsInput!) { result: updateIntegrationModels(id: $id, input: $input) { id lastUpdatedAt } }',
      { id, input: { models: some, allowAllModels: spec.allowAllModels } },
    );
}

const removeModels = (run: RunField, id: string, slugs: unknown[]) =>
  run(
    'mutation ($id: ID!, $slugs: [String!]!) { result: deleteIntegrationModels(id: $id, slugs: $slugs) { id lastUpdatedAt } }',
    { id, slugs },
  );

type Limited = Parameters<typeof limitInput>[2];

/** Limits that did not change are left out: not everybody who shares an integration may set them. */
async function updateWorkspaces({ run, names, spec }: Write, id: string, node: Limited, setsLimits: boolean) {
  const limitsOf = (slug: string | null) => (setsLimits ? limitInput(spec, slug, node) : {});
  const entriesOf = (list: unknown, enabled: boolean) =>
    (list as string[]).map((slug) => ({ id: names.workspace(slug), enabled, ...limitsOf(slug) }));
  const input = {
    // In one call, since an entry that is left out is dropped with its limits.
    workspaces: [...entriesOf(spec.workspaces, true), ...entriesOf(spec.deniedWorkspaces, false)],
    globalWorkspaceAccess: { enabled: spec.allWorkspaces, ...limitsOf(null) },
    overrideExistingWorkspaceAccess: true,
    createDefaultProvider: false,
  };
  await run(
    'mutation ($id: ID!, $input: UpdateIntegrationWorkspacesInput!) { result: updateIntegrationWorkspaces(id: $id, input: $input) { id lastUpdatedAt } }',
    { id, input },
  );
}

function inTurns<T>(items: T[], { atLeastOne = false } = {}): T[][] {
  const turns = Math.max(atLeastOne ? 1 : 0, Math.ceil(items.length / MOST_ITEMS));
  return Array.from({ length: turns }, (_, turn) => items.slice(turn * MOST_ITEMS, (turn + 1) * MOST_ITEMS));
}
