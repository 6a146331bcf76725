import type { IncomingHttpHeaders } from 'node:http';
import { keptHeaders } from '../dataplane/call/kept-headers.ts';
import { headerOf } from '../lib/http/headers.ts';
import type { Secrets } from '../storage/secrets.ts';
import type { RunDocument } from './run.ts';

/**
 * The headers of a request with which its run makes calls, sealed for the run. `forServers`: those that MCP servers want of the person who
 * sent it, and models do not get.
 */
export function sealCaller(
  secrets: Secrets,
  headers: IncomingHttpHeaders,
  runId: string,
  forServers: IncomingHttpHeaders = {},
): string {
  return secrets.encrypt(JSON.stringify({ ...forServers, ...keptHeaders(headers) }), runId);
}

/** The trace of a run's calls: the one that the request names, else one of the run's own. */
export const traceOf = (headers: IncomingHttpHeaders, runId: string): string =>
  headerOf(headers, 'x-gateway-trace-id')?.trim() || runId;

/** The headers with which a turn calls its model: those of the caller, and what tells logs which run it belongs to. */
export const callHeaders = (secrets: Secrets, run: RunDocument): IncomingHttpHeaders => {
  const headers = serverHeaders(secrets, run);
  return { ...keptHeaders(headers), 'x-gateway-trace-id': run.traceId };
};

/** The headers with which a turn calls tools of MCP servers. */
export function serverHeaders(secrets: Secrets, run: RunDocument): IncomingHttpHeaders {
  if (run.sealedCaller === undefined) throw new Error('A run that has ended makes no call.');
  const headers = JSON.parse(secrets.decrypt(run.sealedCaller, run._id)) as IncomingHttpHeaders;
  const labels = {
    ...labelsIn(headerOf(headers, 'x-gateway-metadata')),
    _run: run._id,
    _thread: run.threadId,
    _assistant: run.assistantId,
    _turn: String(run.turn),
  };
  return { ...headers, 'x-gateway-trace-id': run.traceId, 'x-gateway-metadata': JSON.stringify(labels) };
}

function labelsIn(text: string | undefined): object {
  try {
    const value: unknown = JSON.parse(text ?? '{}');
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    // As in any call: metadata that cannot be parsed counts as none.
    return {};
  }
}
