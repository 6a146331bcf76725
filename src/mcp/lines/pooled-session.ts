import { createHash } from 'node:crypto';
import { callerKey } from '../exchange/caller.ts';
import type { McpVisit } from '../exchange/visit.ts';
import type { McpSession } from '../session/index.ts';
import type { McpServerRecord } from '../snapshot/index.ts';
import { clientInfo, LATEST_LEGACY } from '../upstream/index.ts';

/** Seconds that the store keeps what a server opened for a caller: as long as sessions of callers last. */
const LIFETIME_S = 30 * 24 * 3600;

/**
 * What stands for the session of a caller that has none, where the server's settings have its requests share one upstream; null
 * where they do not. The same for the same caller in every process, so that all of them find one upstream session. It declares
 * nothing: a question of the server has nobody in particular to reach.
 */
export function pooledSession(
  { caller, session, era, route }: McpVisit,
  { id, organisationId, workspaceId, upstream }: McpServerRecord,
): McpSession | null {
  if (upstream.configurations.session_affinity !== 'principal') return null;
  const hasOwn = session !== null && session.serverId !== null;
  if (hasOwn || (era === 'legacy' && route !== 'aggregate')) return null;
  const holder = callerKey(caller);
  const parts = [id, upstream.id, upstream.url, upstream.authType, holder];
  const uuid = `pooled-${createHash('sha256').update(JSON.stringify(parts)).digest('base64url')}`;
  return {
    ...{ uuid, organisationId, workspaceId, serverId: id, caller: holder },
    ...{ version: LATEST_LEGACY, capabilities: {}, clientInfo, upstream: null },
    expiresAt: Math.floor(Date.now() / 1000) + LIFETIME_S,
  };
}
