import { hostname } from 'node:os';
import type { McpFacts } from '../../recording/log/mcp.ts';
import { clientOf } from '../exchange/client-of.ts';
import type { RelayCall } from '../relay/call.ts';
import type { McpServerRecord } from '../snapshot/index.ts';

const NANODOLLARS = 1e9;
const MAX_REQUEST_ID = 128;
/** This process, in the log. */
export const INSTANCE = `${hostname()}:${process.pid}`.slice(0, 128);

/** What the log of a call says beside what all logs say. One literal, since one that is put together takes ten times its memory. */
export function loggedFacts(call: RelayCall): McpFacts {
  const { visit, server, facts, method } = call;
  const { clientName, clientVersion } = clientOf(call);
  const logged: McpFacts = {
    method,
    subject: facts.subject,
    status: facts.status,
    errorCode: facts.errorCode,
    serverId: server.id,
    serverSlug: server.slug,
    integrationId: server.upstream.id,
    route: visit.route,
    eraClient: visit.era,
    eraUpstream: facts.eraUpstream,
    protocolVersion: visit.version,
    requestId: String(call.id).slice(0, MAX_REQUEST_ID),
    sessionId: visit.session?.uuid ?? null,
    authType: visit.caller.authType,
    clientId: visit.caller.clientId,
    clientName,
    clientVersion,
    upstreamStatus: facts.upstreamStatus,
    refusedBy: facts.refusedBy,
    progressCount: facts.progressCount,
    rounds: facts.rounds,
    retried: facts.retried,
    sessionReinitialised: facts.sessionReinitialised,
    tokenRefreshed: facts.tokenRefreshed,
    queueMs: facts.queueMs === null ? null : Math.round(facts.queueMs),
    instance: INSTANCE,
    inputBytes: call.raw?.length ?? null,
    outputBytes: facts.outputBytes,
    definitionHash: facts.definitionHash,
    costNanodollars: facts.isSent ? costOf(server) : 0,
  };
  if (facts.outputProblem !== null) logged.outputProblem = facts.outputProblem;
  return logged;
}

const costOf = ({ upstream: { configurations } }: McpServerRecord): number =>
  Math.round((configurations.cost_per_call ?? 0) * NANODOLLARS);
