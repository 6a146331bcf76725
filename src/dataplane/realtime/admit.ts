import { GatewayError } from '../../errors/index.ts';
import type { Leaf, Plan } from '../../routing-config/plan.ts';
import type { Call } from '../call/call.ts';
import type { DataplaneDependencies } from '../dependencies.ts';
import { sessionSteps } from '../pipeline.ts';
import { withSecrets } from '../target/mapped-credential.ts';
import { modelsInQuery } from '../target/model-query.ts';
import { resolveTarget } from '../target/resolve-target.ts';
import type { Target } from '../target/target.ts';
import { SessionGuards } from './guard/session-guards.ts';

/** A session that may be, and where it goes. */
export type Admission = { call: Call; leaf: Leaf; target: Target; guards: SessionGuards };

/** Does for a session what the steps before a provider do for a request; throws for one that may not be. */
export async function admit(call: Call, dependencies: DataplaneDependencies): Promise<Admission> {
  call.body = bodyOf(call.query);
  for (const step of sessionSteps) await step(call, dependencies);
  const leaf = singleLeaf(call.plan);
  call.leaf = leaf;
  const target = await targetOf(call, leaf, dependencies);
  const guards = new SessionGuards({ call, leaf, target }, dependencies);
  await guards.renew();
  await guards.judgeOpening();
  return { call, leaf, target, guards };
}

/** The target of a session, also of one that is open: throws as soon as it may not be used any more. */
export async function targetOf(call: Call, leaf: Leaf, dependencies: DataplaneDependencies): Promise<Target> {
  const target = await withSecrets(await resolveTarget(leaf, call, dependencies), dependencies.secretMemory);
  const { provider, record, model } = target;
  if (!provider.endpoints.has('realtime') || target.base === null) {
    throw new GatewayError('UNSUPPORTED_ENDPOINT', {
      message: `The provider ${provider.id} has no /realtime.`,
      param: 'provider',
    });
  }
  // Without a model in the query, messages could choose one later.
  if (model === null && record && !record.allowAllModels) {
    throw new GatewayError('FORBIDDEN', {
      message: `The models of @${record.slug} are restricted: name one in the query.`,
      param: 'model',
    });
  }
  return target;
}

/** The model of the query stands where other requests have it in their body. */
function bodyOf(query: string): Call['body'] {
  const [model] = modelsInQuery(query);
  if (model === undefined) return { kind: 'none' };
  return { kind: 'json', bytes: Buffer.from(JSON.stringify({ model })), value: { model } };
}

/** A session has one provider: there is no answer by which to go on to another. */
function singleLeaf(plan: Plan): Leaf {
  if (plan.kind === 'leaf') return plan;
  const [first] = plan.targets;
  if (first && (plan.mode === 'single' || plan.targets.length === 1)) return singleLeaf(first);
  throw new GatewayError('INVALID_CONFIG', {
    message: `A realtime session has a single provider, and no ${plan.mode} among several.`,
    param: 'config.strategy',
  });
}
