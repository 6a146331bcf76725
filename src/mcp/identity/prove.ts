import type { IncomingHttpHeaders } from 'node:http';
import type { JWTPayload } from 'jose';
import { LRUCache } from 'lru-cache';
import type { CheckServices } from '../../guardrails/check.ts';
import { type JudgeToken, mismatch, tokenJudge } from '../../guardrails/checks/jwt/judge.ts';
import { valueMatch } from '../../guardrails/checks/pattern/value-match.ts';
import { headerOf } from '../../lib/http/headers.ts';
import type { SecretMemory } from '../../secret-managers/memory.ts';
import { withMappedSecrets } from '../auth/index.ts';
import type { McpConfigurations } from '../configurations/index.ts';
import type { McpServerRecord } from '../snapshot/index.ts';
import type { UpstreamTarget } from '../target.ts';

/** A person as an issuer outside the gateway knows them. */
export type ProvenIdentity = { token: string; claims: JWTPayload };

/** Why the token of a person is not taken, in words for its sender. */
export class IdentityProblem extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'IdentityProblem';
  }
}

/**
 * The person whose token comes with a request to a server that asks for one; null for a server that does not. Rejects with an
 * IdentityProblem.
 */
export type ProveIdentity = (
  server: Pick<McpServerRecord, 'upstream'>,
  headers: IncomingHttpHeaders,
) => Promise<ProvenIdentity | null>;

type Rules = NonNullable<McpConfigurations['jwt_validation']>;
type Prepared = { judge: JudgeToken; claimProblem(claims: JWTPayload): string | null };

const REMEMBERED = 5000;
const PATIENCE_MS = 10_000;

export function createProveIdentity(given: {
  services: Pick<CheckServices, 'send'>;
  secretMemory: Pick<SecretMemory, 'get'>;
}): ProveIdentity {
  /** By the settings themselves: a change of them makes other ones. */
  const prepared = new LRUCache<UpstreamTarget, Prepared>({ max: REMEMBERED });

  async function preparedFor(upstream: UpstreamTarget, rules: Rules): Promise<Prepared> {
    const known = upstream.mappedSecrets.length === 0 ? prepared.get(upstream) : undefined;
    if (known) return known;
    const whole = await withMappedSecrets(
      upstream.configurations,
      upstream.mappedSecrets,
      given.secretMemory,
    );
    const made = preparedBy(whole.jwt_validation ?? rules);
    prepared.set(upstream, made);
    return made;
  }

  return async ({ upstream }, headers) => {
    const rules = upstream.configurations.jwt_validation;
    if (rules === undefined) return null;
    const token = headerOf(headers, rules.headerKey.toLowerCase())
      ?.replace(/^Bearer\s+/i, '')
      .trim();
    if (!token) throw new IdentityProblem(`Missing token: send it as ${rules.headerKey}`);
    const { judge, claimProblem } = await preparedFor(upstream, rules);
    const judged = await judge(token, { signal: AbortSignal.timeout(PATIENCE_MS) }, given.services).catch(
      (cause: unknown) => {
        throw new IdentityProblem('The token could not be judged: its issuer does not answer', cause);
      },
    );
    if ('reason' in judged)
      throw new IdentityProblem(judged.hasExpired ? 'Token is expired' : 'Token is not valid');
    const problem = claimProblem(judged.claims) ?? mismatch(judged, rules.headerPayloadMatch ?? []);
    if (problem !== null) throw new IdentityProblem(problem);
    return { token, claims: judged.claims };
  };
}

function preparedBy(rules: Rules): Prepared {
  const { introspectClientId: id, introspectClientSecret: secret, introspectCacheMaxAge = 0 } = rules;
  const basic = (...parts: string[]) =>
    Buffer.from(parts.map(encodeURIComponent).join(':')).toString('base64');
  const judge = tokenJudge({
    ...(rules as Omit<Rules, 'jwks'>),
    jwks: rules.jwks as never,
    introspectCacheMaxAge,
    ...(id !== undefined && { introspectAuthorization: `Basic ${basic(id, secret ?? '')}` }),
  });
  const { requiredClaims = [], claimValues = {} } = rules;
  const wanted = Object.entries(claimValues).map(
    ([name, { values, matchType }]) => [name, valueMatch(values, matchType)] as const,
  );
  return {
    judge,
    claimProblem(claims) {
      const missing = requiredClaims.filter((name) => !Object.hasOwn(claims, name));
      if (missing.length > 0) return `Missing required claims: ${missing.join(', ')}`;
      const wrong = wanted.find(([name, matches]) => !matches(valuesOf(claims, name)));
      return wrong ? `Claim has another value: ${wrong[0]}` : null;
    },
  };
}

/** A claim as texts: of a list, its members. */
function valuesOf(claims: JWTPayload, name: string): string[] {
  if (!Object.hasOwn(claims, name)) return [];
  return [claims[name]].flat().map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));
}
