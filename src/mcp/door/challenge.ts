import { type RefusedCaller, RpcFailure, rpc } from '../exchange/failure.ts';

/** Where the metadata of a protected resource is published (RFC 9728). */
export function resourceMetadataUrl(resourceUrl: string): string {
  const { origin, pathname } = new URL(resourceUrl);
  return `${origin}/.well-known/oauth-protected-resource${pathname === '/' ? '' : pathname}`;
}

/** A refusal that tells clients where to get a token. `wasGiven`: the request had a credential, which is not valid. */
export function challenge(resourceUrl: string, message: string, wasGiven: boolean): RpcFailure {
  const parts = [`resource_metadata="${resourceMetadataUrl(resourceUrl)}"`, 'scope="mcp"'];
  if (wasGiven) parts.push('error="invalid_token"');
  return new RpcFailure(rpc.unauthenticated, message, {
    status: 401,
    headers: { 'www-authenticate': `Bearer ${parts.join(', ')}` },
  });
}

/** A refusal of a credential that is valid and may do less. */
export function insufficientScope(
  resourceUrl: string,
  message: string,
  given: { scope?: string; caller?: RefusedCaller } = {},
): RpcFailure {
  const { scope = 'mcp', caller } = given;
  const metadata = resourceMetadataUrl(resourceUrl);
  return new RpcFailure(rpc.forbidden, message, {
    status: 403,
    ...(caller && { caller }),
    headers: {
      'www-authenticate': `Bearer error="insufficient_scope", scope="${scope}", resource_metadata="${metadata}"`,
    },
  });
}
