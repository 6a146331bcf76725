import { GatewayError } from '../../../errors/index.ts';
import { canonicalJson } from '../../../lib/canonical.ts';
import { isObject, type JsonObject } from '../../../lib/json.ts';
import type { GraphContext } from '../../context.ts';
import type { Parsed } from './documents.ts';
import { type EntryWrite, forgetting, remembering } from './entries.ts';
import { pathText, type RunField, type Write } from './kind.ts';
import type { Planned } from './plan.ts';
import { isSource, sourceText, valueAt, withValues } from './secrets.ts';
import type { Step } from './step.ts';

/** The resource of a step, the secret that was made for it, and what is still to be kept beside it. */
export type Done = { id: string; secret?: string; entries: EntryWrite[] };

/** Makes one change of a plan; throws PRECONDITION_FAILED where the resource is not as it was planned. */
export async function makeChange(context: GraphContext, plan: Planned, step: Step): Promise<Done> {
  const { kind, document, stored, changed } = step;
  if (!document) {
    if (!stored) throw new Error('A deletion has a resource.');
    await kind.remove(await whileUnchanged(context, plan, step), stored);
    return { id: stored.id, entries: [forgetting(context, kind.name, stored.id)] };
  }
  const write: Omit<Write, 'run'> = {
    names: plan.world.names,
    slug: document.slug,
    spec: specToWrite(plan, step, document),
  };
  if (!stored) {
    const made = await kind.create({ ...write, run: runOf(context) });
    return { ...made, entries: remembering(context, plan, document, made.id) };
  }
  const remember = (id: string) => remembering(context, plan, document, id, stored);
  if (changed.size === 0) return { id: stored.id, entries: remember(stored.id) };
  const run = await whileUnchanged(context, plan, step);
  const id = await kind.update({ ...write, run }, stored, changed);
  if (id === undefined) return { id: stored.id, entries: remember(stored.id) };
  return { id, entries: [forgetting(context, kind.name, stored.id), ...remember(id)] };
}

/** The spec with values in the place of sources; a secret without a given value keeps its mask, which keeps it. */
function specToWrite({ values }: Planned, { kind, stored }: Step, { spec }: Parsed): JsonObject {
  const replaced = (kind.secrets?.(spec) ?? []).flatMap((path) => {
    const source = valueAt(spec, path);
    if (!isSource(source)) return [];
    return [[path, values.get(sourceText(source)) ?? stored?.masks.get(pathText(path))] as const];
  });
  return withValues(spec, replaced);
}

const runOf =
  (context: GraphContext): RunField =>
  (text, variables) =>
    context.operations.run(text, variables, context);

const isNotFound = (error: unknown): boolean =>
  error instanceof GatewayError && (error.code === 'NOT_FOUND' || error.code === 'GUARDRAIL_NOT_FOUND');

/** Runs operations on a resource as long as nobody else changes it after it was found to be what the plan was made from. */
async function whileUnchanged(context: GraphContext, plan: Planned, step: Step): Promise<RunField> {
  let unchangedSince = await requireUnchanged(runOf(context), plan, step);
  return async <T>(text: string, variables: Record<string, unknown>) => {
    try {
      const answer = await context.operations.run<T>(text, variables, { ...context, unchangedSince });
      // The next operation builds on this one.
      if (isObject(answer) && answer.lastUpdatedAt) unchangedSince = new Date(String(answer.lastUpdatedAt));
      return answer;
    } catch (error) {
      if (isNotFound(error)) await requireUnchanged(runOf(context), plan, step);
      throw error;
    }
  };
}

/** When the resource was last updated; throws where it is not what the plan was made from. */
async function requireUnchanged(
  run: RunField,
  { world }: Planned,
  { kind, stored, change }: Step,
): Promise<Date> {
  const text = `query ($id: ID!) { result: ${kind.one} { lastUpdatedAt ${kind.selection} } }`;
  const node = await run(text, { id: stored?.id }).catch((error: unknown) => {
    if (isNotFound(error)) return null;
    throw error;
  });
  const comparable = (spec: JsonObject | undefined) =>
    canonicalJson({ ...spec, ...Object.fromEntries((kind.shared ?? []).map((name) => [name, null])) });
  if (node && comparable(kind.read(node, world.names)?.spec) === comparable(stored?.seen))
    return new Date(String(node.lastUpdatedAt));
  throw new GatewayError('PRECONDITION_FAILED', {
    message: `${kind.name} ${change.slug} was changed by others since the plan was made; apply again.`,
  });
}
