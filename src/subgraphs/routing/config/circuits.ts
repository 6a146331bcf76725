import DataLoader from 'dataloader';
import {
  type Circuit as CircuitRecord,
  circuitModel,
  placeOfCircuit,
} from '../../../dataplane/strategy/breaker/index.ts';
import { type GraphContext, perRequest } from '../../context.ts';
import type { Circuit } from '../../types.generated.ts';

/** Circuits that are shown of one config; a config with many targets and models may have more. */
const SHOWN = 100;

/** The circuit breakers of configs that have counted something within the last windows. */
export const circuitsOf = perRequest(
  (context: GraphContext) =>
    new DataLoader<string, Circuit[]>(async (ids) => {
      const organisationId = context.principal?.organisationId;
      // The id of a circuit begins with that of its config, so that a range of ids is all circuits of a config.
      const ofConfigs = ids.map((id) => ({ _id: { $gte: `${id}:`, $lt: `${id};` } }));
      const found = await circuitModel(context.db)
        .find({ organisationId, $or: ofConfigs })
        .sort({ _id: 1 })
        .limit(SHOWN * ids.length)
        .lean<CircuitRecord[]>();
      const byConfig = Map.groupBy(found, ({ _id }) => placeOfCircuit(_id).configId);
      const now = context.now().getTime();
      return ids.map((id) => (byConfig.get(id) ?? []).slice(0, SHOWN).map((circuit) => shown(circuit, now)));
    }),
);

function shown(
  { _id, openUntil, since, failures, successes, expiresAt }: CircuitRecord,
  now: number,
): Circuit {
  const isOpen = openUntil > now;
  // Counts of a window that is over stand there until the next call; they say nothing about the present.
  const counts = since <= now && expiresAt.getTime() > now;
  return {
    id: _id,
    target: placeOfCircuit(_id).path,
    isOpen,
    openUntil: isOpen ? new Date(openUntil) : null,
    failures: counts ? failures : 0,
    successes: counts ? successes : 0,
  };
}
