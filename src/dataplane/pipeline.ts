import { chooseTarget } from './leg/choose-target.ts';
import { findLimits } from './leg/find-limits.ts';
import { guardInput } from './leg/guard-input.ts';
import { fromCache } from './leg/layers/from-cache.ts';
import { gateStream } from './leg/layers/gate-stream.ts';
import { guardOutput } from './leg/layers/guard-output.ts';
import { holdLimits } from './leg/layers/hold-limits.ts';
import { keepRedirects } from './leg/layers/keep-redirects.ts';
import type { SendLayer } from './leg/layers/send-layer.ts';
import { tapWire } from './leg/layers/tap-wire.ts';
import { translate } from './leg/layers/translate.ts';
import type { LegStep } from './leg/leg-step.ts';
import { lookInCache } from './leg/look-in-cache.ts';
import { makeRequest } from './leg/make-request.ts';
import { readySecrets } from './leg/ready-secrets.ts';
import { recordLeg } from './leg/record-leg.ts';
import { renewSecrets } from './leg/renew-secrets.ts';
import { sendUntilSettled } from './leg/send-until-settled.ts';
import { authorise } from './steps/authorise.ts';
import type { CallStep } from './steps/call-step.ts';
import { limitArrival } from './steps/limit-arrival.ts';
import { limitCall } from './steps/limit-call.ts';
import { readBody } from './steps/read-body.ts';
import { readMetadata } from './steps/read-metadata.ts';
import { refuseUnserved } from './steps/refuse-unserved.ts';
import { requireSaved } from './steps/require-saved.ts';
import { resolveConfig } from './steps/resolve-config.ts';
import { useWorkspaceDefault } from './steps/use-workspace-default.ts';
import { walkTargets } from './steps/walk-targets.ts';

/*
 * What happens to a call of the data plane, in three lists. A call goes through `callSteps`, one after another; the last of
 * them gives each target that the plan chooses its turn, a leg. A leg goes through `legSteps`, each around those below it;
 * the last of them sends the request, through `sendLayers`, as often as retries ask for it.
 */

/**
 * What lies around a send, from the inside out. Innermost is what `makeRequest` chose: `http.send`, or the code of a
 * provider's dialect in this process. A request passes the layers from the last to the first, its answer from the first to
 * the last. A layer that has nothing to do for a leg adds nothing to it.
 */
export const sendLayers: readonly SendLayer[] = [
  holdLimits, //    takes of the limits what an attempt may come to, and settles what it did
  keepRedirects, // on paths that are passed on, a redirect within the provider leads through the gateway again
  tapWire, //       for the log: a copy of what goes to and fro, where the provider's format is not the caller's
  gateStream, //    holds a stream until it has content, so that one that fails before that can be tried again
  translate, //     the answer in the caller's format
  fromCache, //     sends nothing where the cache has the answer
  guardOutput, //   guardrails see all of the answer, the cache's as well, before the caller sees a byte of it
];

/** What happens at one target, from the outside in: each step is around those below it. */
export const legSteps: readonly LegStep[] = [
  recordLeg, //                     one request log, once the answer stands
  chooseTarget, //                  provider, address, credential and model; whether the call may use them
  readySecrets, //                  values of secret managers take their place in the credential
  renewSecrets, //                  where the provider refuses them, newer ones get a second turn
  findLimits, //                    the caller's limits and the target's; each attempt takes its share of them
  guardInput, //                    guardrails see the body, with the config's parameters, before it is made into the provider's
  makeRequest, //                   path, headers and body for the provider, with its authentication
  lookInCache, //                   finds an answer, or keeps the provider's; the made request is part of the key
  sendUntilSettled(sendLayers), //  sends, retries, streams the answer to the caller
];

/** What happens to an authenticated call, in this order. */
export const callSteps: readonly CallStep[] = [
  authorise, //              the key's scopes allow this route and method
  requireSaved, //           where only saved configs are used, the request brings none of its own
  resolveConfig, //          header, saved config or key default -> plan; it says whether the body must be kept
  limitArrival, //           rates are taken, and a spent budget refuses before the body is read
  readBody, //               bounded; JSON is parsed here and nowhere else
  readMetadata, //           for conditions and for the log
  refuseUnserved, //         realtime without a WebSocket; files and batches that the gateway itself would have to keep
  useWorkspaceDefault, //    a plan, where neither the request nor its key says where to go
  limitCall, //          limits that are about metadata, config or prompt
  walkTargets(legSteps), //  a leg for one target after another, as the plan says, until the caller has an answer
];

/** What happens to a realtime session before `realtime/` connects it to its one provider; it has neither body nor answer. */
export const sessionSteps: readonly CallStep[] = [
  authorise,
  requireSaved,
  resolveConfig,
  limitArrival,
  readMetadata,
  limitCall,
];
