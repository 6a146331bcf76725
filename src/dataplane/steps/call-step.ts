import type { Call } from '../call/call.ts';
import type { DataplaneDependencies } from '../dependencies.ts';

/** Does its part of a call; throws a GatewayError to end the call. Returns a promise only when it has to wait. */
export type CallStep = (call: Call, dependencies: DataplaneDependencies) => undefined | Promise<unknown>;
