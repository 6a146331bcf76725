import type { IncomingMessage, ServerResponse } from 'node:http';
import { GatewayError } from '../../src/errors/index.ts';
import { type BodyBudget, readBody } from '../../src/lib/bodies/index.ts';
import { clientAddress } from '../../src/lib/http/client-address.ts';

const MAX_BYTES = 16 * 1024;

export type Oauth2Form = ReadonlyMap<string, string>;

/**
 * The parameters of a form. One without a value counts as absent, one that nobody knows is left aside; one that comes
 * twice throws VALIDATION_FAILED (RFC 6749, sections 3.1 and 3.2).
 */
export async function readForm(
  request: IncomingMessage,
  response: ServerResponse,
  bodies: BodyBudget,
): Promise<Oauth2Form> {
  requireForm(request);
  const form = new Map<string, string>();
  // No credential has been checked yet, so the memory counts for the caller's address.
  const hold = bodies.hold(null, clientAddress(request));
  const bytes = await readBody(request, response, hold, MAX_BYTES);
  for (const [name, value] of new URLSearchParams(bytes.toString())) {
    if (form.has(name)) {
      throw new GatewayError('VALIDATION_FAILED', {
        message: `${name} is given more than once.`,
        param: name,
      });
    }
    form.set(name, value);
  }
  return new Map([...form].filter(([, value]) => value !== ''));
}

function requireForm({ headers }: IncomingMessage): void {
  const type = (headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase();
  const encoding = headers['content-encoding'] ?? 'identity';
  if (type === 'application/x-www-form-urlencoded' && encoding === 'identity') return;
  throw new GatewayError('UNSUPPORTED_MEDIA_TYPE', {
    message: 'The body must be application/x-www-form-urlencoded, not compressed.',
  });
}
