import type { DataplaneDependencies } from '../../dependencies.ts';
import type { Send } from '../../send/upstream.ts';
import type { Leg } from '../leg.ts';

/** The same way to a provider with something around it; `send` itself where the layer has nothing to do for this leg. */
export type SendLayer = (send: Send, leg: Leg, dependencies: DataplaneDependencies) => Send;

/** How a leg sends: what `makeRequest` chose, with all layers around it. */
export function layered(layers: readonly SendLayer[], leg: Leg, dependencies: DataplaneDependencies): Send {
  let send = leg.local ?? dependencies.http.send;
  for (const layer of layers) send = layer(send, leg, dependencies);
  return send;
}
