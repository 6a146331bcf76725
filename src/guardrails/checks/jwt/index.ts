import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTPayload, jwtVerify } from 'jose';
import { type CheckFinding, type CheckInput, type CheckServices, defineCheck } from '../../check.ts';
import { claimHeaders, claimRules } from './claims.ts';
import { type Introspect, introspectionAt } from './introspection.ts';
import { RemoteKeySet } from './key-set.ts';
import { type JwtParameters, jwtParameters } from './parameters.ts';

/** What a token says, or why it is not good. */
type Judged = { claims: JWTPayload; header: Readonly<Record<string, unknown>> | null } | { reason: string };
type Judge = (token: string, input: CheckInput, services: CheckServices) => Promise<Judged>;

export const jwt = defineCheck({
  id: 'default.jwt',
  description: 'Passes when a header holds a token with the right signature, age and claims.',
  phases: ['input'],
  readsCallOnly: true,
  isRemote: true,
  parameters: jwtParameters,
  prepare(wanted) {
    const judge = judgeBy(wanted);
    const rule = claimRules(wanted);
    return async (input, services) => {
      const token = tokenOf(input, wanted.headerKey);
      if (token === null) return failed('There is no token.');
      const judged = await judge(token, input, services);
      if ('reason' in judged) return failed(judged.reason);
      const reason = rule(judged.claims) ?? mismatch(judged, wanted.headerPayloadMatch);
      if (reason !== null) return failed(reason);
      return { verdict: true, data: {}, headers: claimHeaders(judged.claims, wanted) };
    };
  },
});

const failed = (explanation: string): CheckFinding => ({ verdict: false, data: { explanation } });

function tokenOf({ call: { headers } }: CheckInput, headerKey: string): string | null {
  const [value = ''] = [headers[headerKey.toLowerCase()] ?? []].flat();
  const token = value.replace(/^Bearer\s+/i, '').trim();
  return token === '' ? null : token;
}

function judgeBy(wanted: JwtParameters): Judge {
  const { jwksUri, jwks, introspectEndpoint } = wanted;
  if (introspectEndpoint !== undefined && jwksUri === undefined && jwks === undefined)
    return byIssuer(introspectionAt(introspectEndpoint, wanted));
  const bySignature = signatureJudge(wanted);
  if (introspectEndpoint === undefined) return bySignature;
  const issuer = byIssuer(introspectionAt(introspectEndpoint, wanted));
  return async (token, input, services) => {
    const judged = await bySignature(token, input, services);
    if ('reason' in judged) return judged;
    const told = await issuer(token, input, services);
    return 'reason' in told ? told : { ...judged, claims: { ...told.claims, ...judged.claims } };
  };
}

const byIssuer =
  (introspect: Introspect): Judge =>
  async (token, input, services) => {
    const claims = await introspect(token, input, services);
    return claims === null
      ? { reason: 'The issuer says that the token is not active.' }
      : { claims, header: null };
  };

function signatureJudge(wanted: JwtParameters): Judge {
  const { jwks, jwksUri = '', cacheMaxAge, algorithms, clockTolerance, maxTokenAge } = wanted;
  const local = jwks === undefined ? null : createLocalJWKSet(jwks as unknown as JSONWebKeySet);
  const remote = new RemoteKeySet(jwksUri, cacheMaxAge);
  return async (token, input, services) => {
    const keys = local ?? remote.lookup(input, services);
    try {
      const options = { algorithms, clockTolerance, maxTokenAge };
      const { payload, protectedHeader } = await jwtVerify(token, keys, options);
      return { claims: payload, header: { ...protectedHeader } };
    } catch (error) {
      if (!(error instanceof errors.JOSEError)) throw error;
      return { reason: `The token is not good: ${error.message}.` };
    }
  };
}

/** Members that stand in the header and in the payload, and differ. */
function mismatch(
  { claims, header }: { claims: JWTPayload; header: Readonly<Record<string, unknown>> | null },
  members: readonly string[],
): string | null {
  const member = members.find(
    (name) => header === null || header[name] === undefined || header[name] !== claims[name],
  );
  return member === undefined ? null : `The ${member} of the token's header and payload differ.`;
}
