import { canonicalJson } from '../../../lib/canonical.ts';
import type { GraphContext } from '../../context.ts';
import type { BundleAction, BundleKind, PlanBundleInput } from '../../types.generated.ts';
import { type Parsed, parseDocuments } from './documents.ts';
import { kinds, orderOfKind } from './kinds/index.ts';
import { bundleEntryModel } from './model.ts';
import { requirePossible } from './possible.ts';
import { Problems } from './problems.ts';
import { hasValue, isSource, parseSecretValues, type SecretValues, sourceText, valueAt } from './secrets.ts';
import type { Step } from './step.ts';
import { readWorld, type Stored, type World } from './stored.ts';

export type Planned = { digest: string; steps: Step[]; world: World; values: SecretValues };

/** Says what has to happen so that resources are as the documents say; throws VALIDATION_FAILED for what cannot be. */
export async function makePlan(
  context: GraphContext,
  input: PlanBundleInput,
  { needsValues }: { needsValues: boolean },
): Promise<Planned> {
  const documents = parseDocuments(input.documents).sort(inOrder);
  const values = parseSecretValues(input.secrets);
  const pruned = new Set(input.prune ?? []);
  const world = await readWorld(context, await kindsOf(context, documents, pruned));
  for (const { kind } of documents) throwIfClosed(world, kind.name);
  const problems = new Problems();
  requireReferences(documents, world, problems);
  const steps = documents.map((document) => stepOf(context, document, world, values));
  for (const step of steps) requirePossible(step, { values, needsValues }, problems);
  problems.refuse();
  const all = [...steps, ...deletions(world, steps, pruned)];
  return { digest: digestOf(context, all), steps: all, world, values };
}

const inOrder = (one: Parsed, other: Parsed): number =>
  orderOfKind(one.kind.name) - orderOfKind(other.kind.name) || (one.key < other.key ? -1 : 1);

/** Kinds of documents, of what they refer to, and of what is to be deleted. */
async function kindsOf({ db, principal }: GraphContext, documents: Parsed[], pruned: Set<string>) {
  const organisationId = principal?.organisationId ?? '';
  const owned: BundleKind[] =
    pruned.size === 0
      ? []
      : await bundleEntryModel(db).distinct('kind', { organisationId, bundle: { $in: [...pruned] } });
  return new Set<BundleKind>([
    ...documents.flatMap(({ kind, spec }) => [
      kind.name,
      ...(kind.references?.(spec) ?? []).map((reference) => reference.kind),
    ]),
    ...owned,
  ]);
}

function throwIfClosed({ closed }: World, kind: BundleKind): void {
  const error = closed.get(kind);
  if (error) throw error;
}

function requireReferences(documents: Parsed[], world: World, problems: Problems): void {
  const given = new Set(documents.map(({ kind, key }) => `${kind.name} ${key}`));
  for (const { index, kind, slug, spec } of documents) {
    for (const { kind: named, key, path } of kind.references?.(spec) ?? []) {
      if (given.has(`${named} ${key}`)) continue;
      throwIfClosed(world, named);
      if (world.of(named).has(key)) continue;
      problems.add(
        { index, kind: kind.name, slug },
        ['spec', ...path],
        `names no ${named}: there is no ${key}.`,
      );
    }
  }
}

/** The resource that a document means. */
function findStored({ kind, key, spec }: Parsed, world: World): Stored | null {
  const all = world.of(kind.name);
  const found = all.get(key);
  if (found || !kind.isUniqueBySpec) return found ?? null;
  const wanted = canonicalJson(spec);
  return [...all.values()].find((stored) => canonicalJson(stored.spec) === wanted) ?? null;
}

function stepOf(context: GraphContext, document: Parsed, world: World, values: SecretValues): Step {
  const { kind, key, slug, bundle, spec } = document;
  const stored = findStored(document, world);
  const change = (action: BundleAction, members: string[]) => ({
    kind: kind.name,
    slug: key,
    action,
    members,
  });
  if (!stored) return { kind, document, stored, changed: new Set(), change: change('create', []) };
  const changed = new Set([
    ...Object.keys(spec).filter((name) => canonicalJson(spec[name]) !== canonicalJson(stored.spec[name])),
    ...newSecrets(context, document, stored, values),
  ]);
  const members = [
    ...(slug === stored.slug ? [] : ['metadata.slug']),
    ...(bundle === null || bundle === (stored.entry?.bundle ?? null) ? [] : ['metadata.bundle']),
    ...[...changed].sort().map((name) => `spec.${name}`),
  ];
  return {
    kind,
    document,
    stored,
    changed,
    change: change(members.length > 0 ? 'update' : 'unchanged', members),
  };
}

/** The members with a secret whose given value is another than the stored one. */
function newSecrets(
  context: GraphContext,
  { kind, spec }: Parsed,
  stored: Stored,
  values: SecretValues,
): string[] {
  return (kind.secrets?.(spec) ?? []).flatMap((path) => {
    const source = valueAt(spec, path);
    const value = isSource(source) ? values.get(sourceText(source)) : undefined;
    return value === undefined || hasValue(context, stored, path, value) ? [] : [String(path[0])];
  });
}

/** What belongs to the pruned bundles and has no document; what refers to others goes before them. */
function deletions(world: World, steps: Step[], pruned: ReadonlySet<string>): Step[] {
  if (pruned.size === 0) return [];
  const kept = new Set(steps.map(({ kind, stored }) => `${kind.name} ${stored?.id}`));
  return kinds.toReversed().flatMap((kind) =>
    [...world.of(kind.name)].flatMap(([key, stored]): Step[] => {
      const bundle = stored.entry?.bundle ?? null;
      if (bundle === null || !pruned.has(bundle) || kept.has(`${kind.name} ${stored.id}`)) return [];
      const change = { kind: kind.name, slug: key, action: 'delete' as const, members: [] };
      return [{ kind, document: null, stored, changed: new Set(), change }];
    }),
  );
}

/** The same for equal changes to equal resources. */
const digestOf = ({ secrets }: GraphContext, steps: readonly Step[]): string =>
  secrets.sign(
    'bundle plan',
    canonicalJson(
      steps
        .filter(({ change }) => change.action !== 'unchanged')
        .map(({ change, document, stored }) => [change, document?.spec ?? null, stored?.seen ?? null]),
    ),
  );
