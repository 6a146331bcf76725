import { circuitId, readCircuits, targetIdentity } from '../../../../dataplane/strategy/breaker/index.ts';
import { type Forecast, forecast } from '../../../../dataplane/strategy/forecast.ts';
import { providerNamedFor } from '../../../../dataplane/target/named-provider.ts';
import { GatewayError } from '../../../../errors/index.ts';
import { type Leaf, leavesOf, type Plan, planOf } from '../../../../routing-config/plan.ts';
import { parseSavedConfig } from '../../../../routing-config/schema.ts';
import type { GraphContext } from '../../../context.ts';
import type { ConfigSimulation, SimulateConfigInput, SimulatedTarget } from '../../../types.generated.ts';
import { requireValid } from '../service.ts';
import { placeOf, type TrialPlace } from './candidate.ts';
import { type MadeUpCall, madeUpCall } from './made-up-call.ts';

/** Where a made-up call would go, by the code that real calls go by. */
export async function simulateConfig(
  context: GraphContext,
  input: SimulateConfigInput,
): Promise<ConfigSimulation> {
  const isSaved = input.configId != null;
  if (isSaved === (input.config != null))
    throw new GatewayError('VALIDATION_FAILED', {
      message: 'Give one of configId and config.',
      param: 'input.config',
    });
  const call = madeUpCall(input);
  const place = await placeOf(context, input);
  const content = place.saved?.content ?? (await requireValid(context, place, input.config, null)).content;
  const plan = planOf(parseSavedConfig(content));
  const openUntil = await openCircuits(context, place, plan, call);
  const health = { isOpen: (leaf: Leaf) => openUntil.has(leaf) };
  return { targets: forecast(plan, { call, health }).map((target) => shown(target, call, openUntil)) };
}

/** Until when circuits keep the call away, by target. */
async function openCircuits(
  context: GraphContext,
  { organisationId, saved }: TrialPlace,
  plan: Plan,
  call: MadeUpCall,
): Promise<ReadonlyMap<Leaf, Date>> {
  if (!saved) return new Map();
  const watched = leavesOf(plan).filter(({ breaker }) => breaker !== null);
  const idOf = (leaf: Leaf) => circuitId(saved.config._id, leaf.path, targetIdentity(leaf, call));
  const circuits = await readCircuits(
    context.db,
    watched.map((leaf) => ({ _id: idOf(leaf), organisationId })),
  );
  const now = context.now().getTime();
  const open = new Map(circuits.flatMap(({ _id, openUntil }) => (openUntil > now ? [[_id, openUntil]] : [])));
  return new Map(
    watched.flatMap((leaf) => {
      const until = open.get(idOf(leaf));
      return until === undefined ? [] : [[leaf, new Date(until)]];
    }),
  );
}

function shown(
  { leaf, turn, share, reasons }: Forecast,
  call: MadeUpCall,
  openUntil: ReadonlyMap<Leaf, Date>,
): SimulatedTarget {
  const named = providerNamedFor(leaf, call);
  return {
    path: leaf.path,
    provider: named?.name ?? null,
    model: named?.model ?? null,
    turn,
    share,
    circuitOpenUntil: openUntil.get(leaf) ?? null,
    reasons: [...reasons],
  };
}
