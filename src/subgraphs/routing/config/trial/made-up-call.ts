import type { Call } from '../../../../dataplane/call/call.ts';
import { routeOf } from '../../../../dataplane/call/routes.ts';
import { GatewayError } from '../../../../errors/index.ts';
import type { SimulateConfigInput } from '../../../types.generated.ts';

/** What routing may know of a call. */
export type MadeUpCall = Pick<
  Call,
  'metadata' | 'body' | 'headers' | 'path' | 'route' | 'providerAuthorization'
>;

/** The call that an input describes. Throws VALIDATION_FAILED for a member of the wrong shape. */
export function madeUpCall({ path, params, metadata, headers }: SimulateConfigInput): MadeUpCall {
  // The graph fills in the default.
  const below = (path ?? '/v1/').slice('/v1'.length);
  const value = objectOf(params, 'params');
  const texts = textsOf(headers, 'headers');
  const lowerCase = Object.entries(texts).map(([name, text]) => [name.toLowerCase(), text]);
  return {
    path: below,
    route: routeOf(below),
    headers: Object.fromEntries(lowerCase),
    metadata: textsOf(metadata, 'metadata'),
    body: { kind: 'json', bytes: Buffer.alloc(0), value },
    providerAuthorization: null,
  };
}

function objectOf(value: unknown, member: string): Record<string, unknown> {
  if (value === undefined || value === null) return {};
  if (typeof value === 'object' && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new GatewayError('VALIDATION_FAILED', {
    message: `${member} must be an object.`,
    param: `input.${member}`,
  });
}

function textsOf(value: unknown, member: string): Record<string, string> {
  const found = objectOf(value, member);
  const wrong = Object.keys(found).find((name) => typeof found[name] !== 'string');
  if (wrong === undefined) return found as Record<string, string>;
  throw new GatewayError('VALIDATION_FAILED', {
    message: `${member}.${wrong} must be a string.`,
    param: `input.${member}.${wrong}`,
  });
}
