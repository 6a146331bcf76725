import { hash, type KeyObject } from 'node:crypto';
import { errors, type JWTHeaderParameters, jwtVerify } from 'jose';
import { LRUCache } from 'lru-cache';
import { GatewayError } from '../../errors/index.ts';
import type { JwtIssuer } from '../../settings.ts';
import type { Directory, KeyRecord, WorkspaceRecord } from '../directory.ts';
import { type Claims, readClaims } from './claims.ts';
import type { KeySet } from './key-set.ts';

/** Tokens that are remembered, so that a signature is checked once and not with every request. */
const REMEMBERED = 10_000;
/** Seconds by which an issuer's clock may be ahead of ours when it says from when on a token is good. */
const CLOCK_TOLERANCE = 5;

type Verified = Claims & { record: KeyRecord | null; workspaceRecord: WorkspaceRecord | null };

/** Takes the JWTs of one issuer (spec/data-plane.md, section 11, "JWT specifics"). */
export function createVerifier(
  { issuer, organisationId, audience }: JwtIssuer,
  { keys, workspaces }: { keys: KeySet; workspaces: Directory['workspaces'] },
) {
  const remembered = new LRUCache<string, Verified>({ max: REMEMBERED });

  async function keyOf({ kid }: JWTHeaderParameters): Promise<KeyObject> {
    if (typeof kid !== 'string') throw invalid('The JWT has no kid in its header.');
    const key = await keys.get(kid);
    if (!key) throw invalid('The JWT is signed with a key that its issuer does not publish.');
    return key;
  }

  async function check(token: string): Promise<Verified> {
    try {
      const { payload } = await jwtVerify(token, keyOf, {
        algorithms: ['RS256'],
        typ: 'JWT',
        issuer,
        ...(audience !== null && { audience }),
        requiredClaims: ['exp'],
        clockTolerance: CLOCK_TOLERANCE,
      });
      return { ...readClaims(payload, organisationId), record: null, workspaceRecord: null };
    } catch (error) {
      throw error instanceof errors.JOSEError ? invalid(reasonOf(error), error) : error;
    }
  }

  function admit(verified: Verified): KeyRecord | Promise<KeyRecord> {
    if (verified.expiresAt <= Date.now()) throw invalid('The JWT has expired.');
    const found = workspaces.get(`${organisationId}/${verified.workspace}`);
    return found instanceof Promise
      ? found.then((workspace) => recordIn(workspace, verified))
      : recordIn(found, verified);
  }

  function recordIn(workspace: WorkspaceRecord | null, verified: Verified): KeyRecord {
    if (!workspace) {
      throw new GatewayError('FORBIDDEN', { message: 'The workspace that the JWT names does not exist.' });
    }
    // The directory answers the same object until something about the workspace changes.
    if (!verified.record || verified.workspaceRecord !== workspace) {
      verified.record = recordOf(verified, workspace);
      verified.workspaceRecord = workspace;
    }
    return verified.record;
  }

  const recordOf = (claims: Claims, workspace: WorkspaceRecord): KeyRecord => ({
    principal: {
      kind: 'jwt',
      id: claims.userId ?? issuer,
      name: claims.userId ?? issuer,
      organisationId,
      workspaceId: workspace.id,
      userId: claims.userId,
      scopes: claims.scopes,
    },
    expiresAt: claims.expiresAt,
    defaultConfig: claims.defaultConfig,
    allowConfigOverride: claims.allowConfigOverride,
    metadata: { ...claims.metadata, ...workspace.metadata },
  });

  return {
    verify(token: string): KeyRecord | Promise<KeyRecord> {
      const digest = hash('sha256', token, 'base64url');
      const known = remembered.get(digest);
      if (known) return admit(known);
      return check(token).then((verified) => {
        remembered.set(digest, verified);
        return admit(verified);
      });
    },
  };
}

const invalid = (message: string, cause?: unknown) => new GatewayError('UNAUTHENTICATED', { message, cause });

/** Short enough for the reason of a closed WebSocket, and without anything that the token says. */
function reasonOf(error: errors.JOSEError): string {
  if (error instanceof errors.JWTExpired) return 'The JWT has expired.';
  if (error instanceof errors.JOSEAlgNotAllowed) return 'The JWT is not signed with RS256.';
  if (error instanceof errors.JWTClaimValidationFailed) {
    return error.claim === 'typ'
      ? "The JWT's header does not say typ: JWT."
      : `The JWT's claim ${error.claim} is missing or not valid.`;
  }
  return 'The JWT is not valid.';
}
