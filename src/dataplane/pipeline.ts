import { chooseTarget } from './leg/choose-target.ts';
import { fromCache } from './leg/layers/from-cache.ts';
import { gateStream } from './leg/layers/gate-stream-layer.ts';
import { keepRedirects } from './leg/layers/keep-redirects.ts';
import type { SendLayer } from './leg/layers/send-layer.ts';
import { tapWire } from './leg/layers/tap-wire.ts';
import { translate } from './leg/layers/translate-layer.ts';
import type { LegStep } from './leg/leg-step.ts';
import { lookInCache } from './leg/look-in-cache.ts';
import { makeRequest } from './leg/make-request.ts';
import { recordLeg } from './leg/record-leg.ts';
import { sendUntilSettled } from './leg/send-until-settled.ts';
import { authorise } from './steps/authorise.ts';
import type { CallStep } from './steps/call-step.ts';
import { readBody } from './steps/read-body.ts';
import { readMetadata } from './steps/read-metadata.ts';
import { refuseUnserved } from './steps/refuse-unserved.ts';
import { requireSaved } from './steps/require-saved.ts';
import { resolveConfig } from './steps/resolve-config.ts';
import { useWorkspaceDefault } from './steps/use-workspace-default.ts';
import { walkTargets } from './steps/walk-targets.ts';

/**
 * What lies around a send, from the inside out. Innermost is what `makeRequest` chose: a request over HTTP, or the code of a
 * provider's dialect in this process. A request passes the layers from the last to the first, its answer from the first to
 * the last.
 */
export const sendLayers: readonly SendLayer[] = [
  keepRedirects, // on paths that are passed on, a redirect within the provider leads through the gateway again
  tapWire, //       for the log: a copy of what crosses the wire where the provider's format is not the caller's
  gateStream, //    holds a stream until it has content, so that one that fails before that can be tried again
  translate, //     the answer in the caller's format
  fromCache, //     sends nothing where the cache has the answer
  // Seat of guardrails on output: the whole answer or stream, in the caller's format, before the caller sees a byte of it.
];

/** What happens at one target, from the outside in: each step is around those below it. */
export const legSteps: readonly LegStep[] = [
  // Seat of limits, second half: after the leg, its status, its duration and a copy of its answer are known.
  recordLeg, //    one request log, once the answer stands; the outermost step, so that it knows what all others did
  chooseTarget, // provider, address, credential and model; whether the call may use them
  // Seat of guardrails on input: the target and the caller's body are known, and nothing is written for the provider yet.
  makeRequest, //  headers and body for the provider, signed
  lookInCache, //  finds an answer before the provider is asked, or keeps the provider's; needs the request as its key
  sendUntilSettled(sendLayers), // sends, retries, streams the answer to the caller
];

/** What happens to an authenticated call, in this order. */
export const callSteps: readonly CallStep[] = [
  authorise, //     the key's scopes allow this route and method
  requireSaved, //  where only saved configs are used, the request brings none of its own
  resolveConfig, // header, saved config or key default -> plan; before the body, since the plan decides if that must be kept
  readBody, //      bounded; JSON is parsed here and nowhere else
  readMetadata, //  for conditions and for the log
  refuseUnserved, // realtime without a WebSocket, and files and batches that the gateway itself would have to keep
  useWorkspaceDefault, // where neither the request nor a config says where to go
  // Seat of limits, first half: key, workspace, plan, body and metadata are known; no target is chosen.
  walkTargets(legSteps), // one leg after another, in the order of the plan, until an answer has gone to the caller
];

/** What happens to a realtime session, which has no body, and a provider of its own config or header, connected by `realtime/`. */
export const sessionSteps: readonly CallStep[] = [authorise, requireSaved, resolveConfig, readMetadata];
