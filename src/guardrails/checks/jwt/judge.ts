import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTPayload, jwtVerify } from 'jose';
import type { CheckInput, CheckServices } from '../../check.ts';
import { type Introspect, introspectionAt } from './introspection.ts';
import { RemoteKeySet } from './key-set.ts';
import type { JwtParameters } from './parameters.ts';

/** How tokens are judged, but for their claims. */
export type TokenRules = Pick<
  JwtParameters,
  | 'jwksUri'
  | 'jwks'
  | 'introspectEndpoint'
  | 'introspectContentType'
  | 'introspectCacheMaxAge'
  | 'cacheMaxAge'
> & {
  /** Absent: whatever the keys are for. */
  algorithms?: string[] | undefined;
  clockTolerance: number;
  maxTokenAge?: string | undefined;
  /** With which the gateway proves itself where it asks the issuer. */
  introspectAuthorization?: string | undefined;
};

type TokenHeader = Readonly<Record<string, unknown>> | null;
type Asker = Pick<CheckInput, 'signal'>;
type Services = Pick<CheckServices, 'send'>;

/** What a token says, or why it is not good. The header is null where the issuer alone was asked. */
export type JudgedToken =
  | { claims: JWTPayload; header: TokenHeader }
  | { reason: string; hasExpired: boolean };

export type JudgeToken = (token: string, asker: Asker, services: Services) => Promise<JudgedToken>;

/** Judges tokens by their signature, by what their issuer says, or by both. Rejects where nobody can say. */
export function tokenJudge(rules: TokenRules): JudgeToken {
  const { jwksUri, jwks, introspectEndpoint } = rules;
  if (introspectEndpoint !== undefined && jwksUri === undefined && jwks === undefined)
    return byIssuer(introspectionAt(introspectEndpoint, rules));
  const bySignature = signatureJudge(rules);
  if (introspectEndpoint === undefined) return bySignature;
  const issuer = byIssuer(introspectionAt(introspectEndpoint, rules));
  return async (token, asker, services) => {
    const judged = await bySignature(token, asker, services);
    if ('reason' in judged) return judged;
    const told = await issuer(token, asker, services);
    return 'reason' in told ? told : { ...judged, claims: { ...told.claims, ...judged.claims } };
  };
}

const byIssuer =
  (introspect: Introspect): JudgeToken =>
  async (token, asker, services) => {
    const claims = await introspect(token, asker, services);
    return claims === null
      ? { reason: 'The issuer says that the token is not active.', hasExpired: false }
      : { claims, header: null };
  };

function signatureJudge(rules: TokenRules): JudgeToken {
  const { jwks, jwksUri = '', cacheMaxAge, algorithms, clockTolerance, maxTokenAge } = rules;
  const local = jwks === undefined ? null : createLocalJWKSet(jwks as unknown as JSONWebKeySet);
  const remote = new RemoteKeySet(jwksUri, cacheMaxAge);
  const options = {
    clockTolerance,
    ...(algorithms && { algorithms }),
    ...(maxTokenAge !== undefined && { maxTokenAge }),
  };
  return async (token, asker, services) => {
    const keys = local ?? remote.lookup(asker, services);
    try {
      const { payload, protectedHeader } = await jwtVerify(token, keys, options);
      return { claims: payload, header: { ...protectedHeader } };
    } catch (error) {
      if (!(error instanceof errors.JOSEError)) throw error;
      return {
        reason: `The token is not good: ${error.message}.`,
        hasExpired: error instanceof errors.JWTExpired,
      };
    }
  };
}

/** Members that stand in the header and in the payload, and differ. */
export function mismatch(
  { claims, header }: { claims: JWTPayload; header: TokenHeader },
  members: readonly string[],
): string | null {
  const member = members.find(
    (name) => header === null || header[name] === undefined || header[name] !== claims[name],
  );
  return member === undefined ? null : `The ${member} of the token's header and payload differ.`;
}
