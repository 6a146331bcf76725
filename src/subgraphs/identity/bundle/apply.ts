import { GatewayError } from '../../../errors/index.ts';
import type { GraphContext } from '../../context.ts';
import type { ApplyBundleInput, BundleApplication } from '../../types.generated.ts';
import { type Done, makeChange } from './change.ts';
import { writeEntries } from './entries.ts';
import { makePlan, type Planned } from './plan.ts';
import type { Step } from './step.ts';

/** The longest that one call writes, in milliseconds: callers behind proxies wait no longer than thirty seconds. */
const LONGEST_MS = 10_000;
/** Changes that are made at the same time: the store syncs them, and the audit trail takes them, together. */
const AT_ONCE = 25;

/** Makes the changes of a plan, kind after kind, until the limit, the time or the first refusal. */
export async function applyBundle(
  context: GraphContext,
  input: ApplyBundleInput,
): Promise<BundleApplication> {
  const plan = await makePlan(context, input, { needsValues: true });
  if (input.expectedDigest && input.expectedDigest !== plan.digest)
    throw new GatewayError('PRECONDITION_FAILED', {
      message: 'The plan is another one by now; make it again and look at it.',
      param: 'input.expectedDigest',
    });
  const due = plan.steps.filter(({ change }) => change.action !== 'unchanged');
  const result: BundleApplication = { applied: [], remaining: due.length, credentials: [], failure: null };
  const endsAt = performance.now() + LONGEST_MS;
  for (const steps of together(due.slice(0, input.limit))) {
    if (performance.now() > endsAt || result.failure) break;
    await makeAll(context, plan, steps, result);
  }
  return result;
}

/** The steps in their order, cut where one must wait for those before it. */
function together(steps: readonly Step[]): Step[][] {
  const groups: Step[][] = [];
  for (const step of steps) {
    const group = groups.at(-1);
    const first = group?.[0];
    const fits = first?.kind === step.kind && first.change.action === step.change.action;
    if (fits && group && group.length < AT_ONCE && !changesOthers(first) && !changesOthers(step))
      group.push(step);
    else groups.push([step]);
  }
  return groups;
}

/** Whoever becomes the default takes that from another one. */
const changesOthers = ({ kind, document }: Step): boolean =>
  (kind.shared ?? []).some((member) => document?.spec[member] === true);

/** Makes some changes at the same time, and notes what became of each. */
async function makeAll(
  context: GraphContext,
  plan: Planned,
  steps: readonly Step[],
  result: BundleApplication,
): Promise<void> {
  const outcomes = await Promise.allSettled(steps.map((step) => makeChange(context, plan, step)));
  await writeEntries(
    context,
    outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? outcome.value.entries : [])),
  );
  for (const [index, outcome] of outcomes.entries()) {
    const { change } = steps[index] as Step;
    if (outcome.status === 'fulfilled') note(result, change, outcome.value);
    else if (!(outcome.reason instanceof GatewayError)) throw outcome.reason;
    else result.failure ??= { change, code: outcome.reason.code, message: outcome.reason.message };
  }
}

function note(result: BundleApplication, change: Step['change'], { id, secret }: Done): void {
  const { kind, slug } = change;
  if (secret !== undefined) result.credentials.push({ kind, slug, id, secret });
  result.applied.push(change);
  result.remaining -= 1;
}
