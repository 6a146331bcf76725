import { hash } from 'node:crypto';
import type { JWTPayload } from 'jose';
import { LRUCache } from 'lru-cache';
import { isObject } from '../../../lib/json.ts';
import type { CheckInput, CheckServices } from '../../check.ts';
import { jsonAnswer } from '../remote/common.ts';
import type { TokenRules } from './judge.ts';
import { ISSUER_TIMEOUT } from './key-set.ts';

/** Asks the issuer what a token is good for: its claims, or null for a token that is not active. */
export type Introspect = (
  token: string,
  asker: Pick<CheckInput, 'signal'>,
  services: Pick<CheckServices, 'send'>,
) => Promise<JWTPayload | null>;

export function introspectionAt(
  url: string,
  {
    introspectContentType: type,
    introspectCacheMaxAge,
    introspectAuthorization: authorization,
  }: Pick<TokenRules, 'introspectContentType' | 'introspectCacheMaxAge' | 'introspectAuthorization'>,
): Introspect {
  const known = new LRUCache<string, { claims: JWTPayload | null }>({
    max: 1_000,
    ttl: introspectCacheMaxAge * 1_000,
  });
  return async (token, { signal }, services) => {
    const key = hash('sha256', token);
    const remembered = introspectCacheMaxAge > 0 ? known.get(key) : undefined;
    if (remembered !== undefined) return remembered.claims;
    const answer = await services.send({
      url,
      method: 'POST',
      headers: {
        ...{ 'content-type': type, accept: 'application/json' },
        ...(authorization !== undefined && { authorization }),
      },
      body:
        type === 'application/json' ? JSON.stringify({ token }) : new URLSearchParams({ token }).toString(),
      timeoutMs: ISSUER_TIMEOUT,
      signal,
    });
    const said = jsonAnswer('The issuer', answer);
    if (!isObject(said) || typeof said.active !== 'boolean')
      throw new Error('The issuer did not say whether the token is active.');
    const { active, ...claims } = said;
    const found = { claims: active ? (claims as JWTPayload) : null };
    if (introspectCacheMaxAge > 0) known.set(key, found);
    return found.claims;
  };
}
