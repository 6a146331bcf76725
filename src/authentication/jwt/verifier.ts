import { hash, type KeyObject } from 'node:crypto';
import { decodeJwt, errors, type JWTPayload, jwtVerify } from 'jose';
import type { Directory, KeyRecord, WorkspaceRecord } from '../../directory/memory.ts';
import { GatewayError } from '../../errors/index.ts';
import { grownCache } from '../../lib/grown-cache.ts';
import type { JwtIssuer } from '../../settings/identity/jwt-issuers.ts';
import { type TokenVerifier, whenKnown } from '../tokens/verifier.ts';
import { claimedLimits } from './claimed-limits.ts';
import { type JwtClaims, readClaims } from './claims.ts';
import type { KeySet } from './key-set.ts';

/** Tokens that are remembered, so that a signature is checked once and not with every request. */
const REMEMBERED = 5000;
/**
 * Seconds by which an issuer's clock may be ahead of this machine's when a token names the beginning of its validity.
 */
const CLOCK_TOLERANCE = 5;

export type Issuer = JwtIssuer & { keys: KeySet };

/** The key with which a signature was checked. */
type Proof = { keyId: string; key: KeyObject };

type Verified = JwtClaims & {
  issuer: Issuer;
  proof: Proof;
  /** The record that was made of it last, and the state of the workspace at that time. */
  made: { record: KeyRecord; workspace: WorkspaceRecord } | null;
};

/** Judges the JWTs of configured issuers. */
export function createVerifier(
  issuers: readonly Issuer[],
  { workspaces, now }: { workspaces: Directory['workspaces']; now: () => Date },
): TokenVerifier {
  const byName = new Map(issuers.map((issuer) => [issuer.issuer, issuer]));
  const remembered = grownCache<Verified>(REMEMBERED);

  async function check(token: string): Promise<Verified> {
    try {
      const issuer = byName.get(decodeJwt(token).iss ?? '');
      if (!issuer) throw unknownIssuer(issuers.length > 0);
      const { payload, proof } = await proven(token, issuer, now());
      return { ...readClaims(payload, issuer.organisationId), proof, issuer, made: null };
    } catch (error) {
      throw error instanceof errors.JOSEError ? invalid(reasonOf(error), error) : error;
    }
  }

  function recordIn(workspace: WorkspaceRecord | null, verified: Verified): KeyRecord {
    if (!workspace) {
      throw new GatewayError('FORBIDDEN', { message: 'The workspace that the JWT names does not exist.' });
    }
    // The directory answers the same object until something about the workspace changes.
    if (verified.made?.workspace !== workspace) {
      verified.made = { record: recordOf(verified, workspace), workspace };
    }
    return verified.made.record;
  }

  function admit(verified: Verified): KeyRecord | Promise<KeyRecord> {
    if (verified.expiresAt <= now().getTime()) throw invalid('The JWT has expired.');
    const found = workspaces.get(`${verified.issuer.organisationId}/${verified.workspace}`);
    return whenKnown(found, (workspace) => recordIn(workspace, verified));
  }

  async function remember(token: string, digest: string): Promise<KeyRecord> {
    const verified = await check(token);
    remembered.set(digest, verified);
    return admit(verified);
  }

  return {
    type: 'jwt',
    verify(token) {
      const digest = hash('sha256', token, 'base64');
      const known = remembered.get(digest);
      if (!known) return remember(token, digest);
      // A withdrawn key invalidates its tokens. After its keys were fetched anew, an issuer's tokens are checked
      // anew.
      return whenKnown(known.issuer.keys.get(known.proof.keyId), (key) =>
        key === known.proof.key ? admit(known) : remember(token, digest),
      );
    },
  };
}

/** The claims of a token whose signature and validity have been checked. */
async function proven(
  token: string,
  { issuer, audience, keys }: Issuer,
  currentDate: Date,
): Promise<{ payload: JWTPayload; proof: Proof }> {
  const proofOf = async ({ kid: keyId }: { kid?: string }): Promise<Proof> => {
    if (typeof keyId !== 'string') throw invalid('The JWT has no kid in its header.');
    const key = await keys.get(keyId);
    if (!key) throw invalid('The JWT is signed with a key that its issuer does not publish.');
    return { keyId, key };
  };
  let proof: Proof | undefined;
  const keyOf = async (header: { kid?: string }): Promise<KeyObject> => {
    proof = await proofOf(header);
    return proof.key;
  };
  const { payload } = await jwtVerify(token, keyOf, {
    algorithms: ['RS256'],
    typ: 'JWT',
    issuer,
    ...(audience !== null && { audience }),
    requiredClaims: ['exp'],
    clockTolerance: CLOCK_TOLERANCE,
    currentDate,
  });
  if (!proof) throw new Error('A JWT was verified without a key.');
  return { payload, proof };
}

const recordOf = (claims: Verified, workspace: WorkspaceRecord): KeyRecord => ({
  principal: {
    kind: 'jwt',
    id: claims.userId ?? claims.issuer.issuer,
    name: claims.userId ?? claims.issuer.issuer,
    organisationId: claims.issuer.organisationId,
    workspaceId: workspace.id,
    userId: claims.userId,
    scopes: claims.scopes,
    metadata: { ...claims.metadata, ...workspace.metadata },
  },
  expiresAt: claims.expiresAt,
  defaultConfig: claims.defaultConfig,
  allowConfigOverride: claims.allowConfigOverride,
  savedConfigsOnly: workspace.savedConfigsOnly,
  logMode: workspace.logMode,
  limits: claimedLimits(claims.limits, {
    organisationId: claims.issuer.organisationId,
    workspaceId: workspace.id,
    subject: claims.userId ?? claims.issuer.issuer,
  }),
});

const invalid = (message: string, cause?: unknown) => new GatewayError('UNAUTHENTICATED', { message, cause });

const unknownIssuer = (isAnyKnown: boolean): GatewayError =>
  isAnyKnown
    ? invalid("The JWT's issuer is not known here.")
    : new GatewayError('FORBIDDEN', { message: 'No issuer of JWTs is configured here.' });

/** A message that fits into the close reason of a WebSocket, and that repeats nothing of the token. */
function reasonOf(error: errors.JOSEError): string {
  if (error instanceof errors.JWTExpired) return 'The JWT has expired.';
  if (error instanceof errors.JOSEAlgNotAllowed) return 'The JWT is not signed with RS256.';
  if (error instanceof errors.JWTClaimValidationFailed) {
    return `The JWT's claim ${error.claim} is missing or not valid.`;
  }
  return 'The JWT is not valid.';
}
