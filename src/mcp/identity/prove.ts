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

/** With the rules that it was made of, the mapped secrets in their places: another secret makes another one. */
type Remembered = Prepared & { rules: string };
type Proof = { at: number; identity: ProvenIdentity };

const REMEMBERED = 5000;
const PATIENCE_MS = 10_000;

/** How long a proof counts, in milliseconds: a token that its issuer has revoked ends within that time. */
const PROOF_LASTS_MS = 1000;

export function createProofs(given: {
  services: Pick<CheckServices, 'send'>;
  secretMemory: Pick<SecretMemory, 'get'>;
}): Proofs {
  /** By the settings themselves: a change of them makes other ones. */
  const remembered = new LRUCache<UpstreamTarget, Remembered>({ max: REMEMBERED });
  const proofs = new WeakMap<IncomingHttpHeaders, WeakMap<UpstreamTarget, Proof>>();

  async function preparedFor(upstream: UpstreamTarget, written: Rules): Promise<Prepared> {
    const { configurations, mappedSecrets } = upstream;
    const known = remembered.get(upstream);
    if (known && mappedSecrets.length === 0) return known;
    const whole = await withMappedSecrets(configurations, mappedSecrets, given.secretMemory);
    const rules = JSON.stringify(whole.jwt_validation);
    if (known?.rules === rules) return known;
    const made = { ...preparedBy(whole.jwt_validation ?? written), rules };
    remembered.set(upstream, made);
    return made;
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
