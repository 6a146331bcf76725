import { inferenceBody, toGatewayError } from '../../errors/index.ts';
import type { Call } from '../call.ts';
import { Refused } from './connect.ts';

/**
 * Tells the caller that the provider opened no session; answers the status. A provider's own error keeps its status and
 * body; what is none, such as a redirect, is 500 (spec/data-plane.md, section 10.5).
 */
export function answerRefusal(call: Call, headers: Record<string, string>, thrown: unknown): number {
  const { status, body } = thrown instanceof Refused ? refusal(thrown) : gatewayFailure(thrown);
  if (!call.response.destroyed) {
    call.response.writeHead(status, { ...headers, 'content-type': 'application/json' });
    call.response.end(body);
  }
  return status;
}

function refusal({ status, body, message }: Refused): { status: number; body: string } {
  const isError = status >= 400 && status <= 599;
  if (isError && isErrorBody(body)) return { status, body };
  const error = { message, type: 'upstream_error', param: null, code: null };
  return { status: isError ? status : 500, body: JSON.stringify({ error }) };
}

function isErrorBody(body: string): boolean {
  try {
    return typeof (JSON.parse(body) as { error?: unknown } | null)?.error === 'object';
  } catch {
    // Text or HTML, which nobody expects here.
    return false;
  }
}

function gatewayFailure(thrown: unknown): { status: number; body: string } {
  const error = toGatewayError(thrown);
  return { status: error.entry.status, body: JSON.stringify(inferenceBody(error)) };
}
