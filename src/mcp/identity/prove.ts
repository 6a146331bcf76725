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

export type Proofs = {
  /** Judges the token of a request anew. */
  prove: ProveIdentity;
  /** What `prove` found for the same request within the last second; judges where that is longer ago. */
  lately: ProveIdentity;
};

type Proof = { at: number; identity: ProvenIdentity };

const REMEMBERED = 5000;
const PATIENCE_MS = 10_000;

/** How long a proof counts, in milliseconds: a token that its issuer has revoked ends within that time. */
const PROOF_LASTS_MS = 1000;

export function createProofs(given: {
  services: Pick<CheckServices, 'send'>;
  secretMemory: Pick<SecretMemory, 'get'>;
}): Proofs {
  /** By the integration and its rules with all secrets in their places: what else changes keeps what issuers have said. */
  const byRules = new LRUCache<string, Prepared>({ max: REMEMBERED });
  /** The same for settings that hold all of their secrets themselves. */
  const bySettings = new WeakMap<UpstreamTarget, Prepared>();
  const proofs = new WeakMap<IncomingHttpHeaders, WeakMap<UpstreamTarget, Proof>>();

  async function preparedFor(upstream: UpstreamTarget, written: Rules): Promise<Prepared> {
    const known = bySettings.get(upstream);
    if (known) return known;
    const { id, configurations, mappedSecrets } = upstream;
    const whole = await withMappedSecrets(configurations, mappedSecrets, given.secretMemory);
    const rules = whole.jwt_validation ?? written;
    const key = `${id} ${JSON.stringify(rules)}`;
    const prepared = byRules.get(key) ?? preparedBy(rules);
    byRules.set(key, prepared);
    if (mappedSecrets.length === 0) bySettings.set(upstream, prepared);
    return prepared;
  }

  async function judged(upstream: UpstreamTarget, rules: Rules, token: string): Promise<ProvenIdentity> {
    const { judge, claimProblem } = await preparedFor(upstream, rules);
    const told = await judge(token, { signal: AbortSignal.timeout(PATIENCE_MS) }, given.services).catch(
      (cause: unknown) => {
        throw new IdentityProblem('The token could not be judged: its issuer does not answer', cause);
      },
    );
    if ('reason' in told)
      throw new IdentityProblem(told.hasExpired ? 'Token is expired' : 'Token is not valid');
    const problem = claimProblem(told.claims) ?? mismatch(told, rules.headerPayloadMatch ?? []);
    if (problem !== null) throw new IdentityProblem(problem);
    return { token, claims: told.claims };
  }

  const prove: ProveIdentity = async ({ upstream }, headers) => {
    const rules = upstream.configurations.jwt_validation;
    if (rules === undefined) return null;
    const token = headerOf(headers, rules.headerKey.toLowerCase())
      ?.replace(/^Bearer\s+/i, '')
      .trim();
    if (!token) throw new IdentityProblem(`Missing token: send it as ${rules.headerKey}`);
    const identity = await judged(upstream, rules, token);
    const ofRequest = proofs.get(headers) ?? new WeakMap<UpstreamTarget, Proof>();
    proofs.set(headers, ofRequest.set(upstream, { at: performance.now(), identity }));
    return identity;
  };

  return {
    prove,
    async lately(server, headers) {
      const proof = proofs.get(headers)?.get(server.upstream);
      const isFresh = proof !== undefined && performance.now() - proof.at < PROOF_LASTS_MS;
      return isFresh ? proof.identity : prove(server, headers);
    },
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
