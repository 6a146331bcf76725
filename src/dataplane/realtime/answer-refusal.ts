import { inferenceBody, toGatewayError } from '../../errors/index.ts';
import { errorText, parsedError } from '../answer/provider-error.ts';
import type { Target } from '../target/target.ts';
import type { Admission } from './admit.ts';
import { Refused } from './connect.ts';

/**
 * Tells the caller that the provider opened no session; answers the status. A provider's own error keeps its status; what
 * is no error, such as a redirect, becomes 500.
 */
export function answerRefusal(
  { call, target }: Admission,
  headers: Record<string, string>,
  thrown: unknown,
): number {
  const { status, body } = thrown instanceof Refused ? refusal(thrown, target) : gatewayFailure(thrown);
  if (!call.response.destroyed) {
    call.response.writeHead(status, { ...headers, 'content-type': 'application/json' });
    call.response.end(body);
  }
  return status;
}

function refusal({ status, body }: Refused, target: Target): { status: number; body: string } {
  return {
    status: status >= 400 && status <= 599 ? status : 500,
    body: errorText(target, status, parsedError(body)),
  };
}

function gatewayFailure(thrown: unknown): { status: number; body: string } {
  const error = toGatewayError(thrown);
  return { status: error.entry.status, body: JSON.stringify(inferenceBody(error)) };
}
