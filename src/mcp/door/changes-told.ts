import type { Logger } from '../../lib/logger.ts';
import type { ChangeKind, Changes } from '../../storage/changes.ts';
import { isAggregate } from '../aggregate/index.ts';
import type { CapabilityType } from '../catalogue/index.ts';
import type { ProveIdentity } from '../identity/index.ts';
import type { SessionStore } from '../session/index.ts';
import { type McpServerRecord, type McpSnapshot, mcpAccess } from '../snapshot/index.ts';
import type { AuthenticateMcp } from './authenticate.ts';
import { allServers, isProven } from './find-server.ts';
import { listChanges, type McpStreams, type OpenStream } from './open-streams.ts';

type Given = {
  changes: Pick<Changes, 'subscribe'>;
  snapshot: Pick<McpSnapshot, 'server' | 'slugsOf'>;
  authenticate: AuthenticateMcp;
  proveIdentity: ProveIdentity;
  streams: McpStreams;
  sessions: Pick<SessionStore, 'hasEnded'>;
  log: Logger;
};

/** After a change of one of these, a caller may see other lists, or nothing any more. */
const kinds: ReadonlySet<ChangeKind> = new Set([
  ...(['mcp_server', 'mcp_integration', 'mcp_catalogue', 'api_key', 'user', 'workspace'] as const),
  ...(['organisation', 'service_account', 'access_policy'] as const),
]);

/** Milliseconds between two looks: a change after a quiet time is told at once, and several within this time as one. */
const APART_MS = 1000;
/** Milliseconds in which what is changed together arrives. */
const SOON_MS = 50;

/** Tells open streams of changes of what their callers would list, and ends those whose callers may no longer come in. */
export function tellChanges(given: Given): { stop(): void } {
  const { changes, snapshot, authenticate, proveIdentity, streams, sessions, log } = given;
  let timer: NodeJS.Timeout | null = null;
  let lookedAt = Number.NEGATIVE_INFINITY;
  const lookAt = (open: OpenStream) =>
    void look(open).catch((error: unknown) => {
      log.warn({ error }, 'A stream of an MCP server could not be looked at after a change.');
    });
  // What changed between a caller's arrival and the opening of its stream was told to nobody.
  streams.onOpened = lookAt;
  changes.subscribe(async (kind) => {
    if (kind === 'mcp_session') return endStreamsOfEnded();
    if (!kinds.has(kind) || streams.size === 0) return;
    timer ??= setTimeout(
      () => {
        timer = null;
        lookedAt = performance.now();
        for (const open of streams) lookAt(open);
      },
      Math.max(SOON_MS, lookedAt + APART_MS - performance.now()),
    );
  });

  const hasEnded = ({ visit: { session } }: OpenStream) =>
    session !== null && sessions.hasEnded(session.uuid);

  function endStreamsOfEnded(): void {
    for (const open of streams) if (hasEnded(open)) open.end();
  }

  async function look(open: OpenStream): Promise<void> {
    const current = hasEnded(open) ? null : await serverNow(open);
    if (current === null) return open.end();
    for (const change of new Set(changedTypes(open.seen, current).map((type) => listChanges[type])))
      open.tell(change);
    open.seen = current;
  }

  /** Null where the caller may not use the server any more. */
  async function serverNow({ visit, server }: OpenStream): Promise<McpServerRecord | null> {
    try {
      const caller = await authenticate(visit, visit.resourceUrl);
      const { principal } = caller.key;
      if (isAggregate(server))
        return await allServers({ caller, request: visit }, { snapshot, proveIdentity });
      const found = await snapshot.server(principal.organisationId, server.id);
      if (!found || mcpAccess(found, principal) !== 'allowed') return null;
      return (await isProven(found, caller, proveIdentity)) ? found : null;
    } catch {
      // The credential is no longer valid.
      return null;
    }
  }

  return {
    stop() {
      if (timer) clearTimeout(timer);
    },
  };
}

const types: readonly CapabilityType[] = ['tool', 'prompt', 'resource', 'resource_template'];

/** The types of which a list reads otherwise than before. */
function changedTypes(before: McpServerRecord, now: McpServerRecord): CapabilityType[] {
  if (before === now) return [];
  return types.filter((type) => textOf(before, type) !== textOf(now, type));
}

const textOf = ({ usable }: McpServerRecord, type: CapabilityType): string =>
  usable[type]
    .map(({ key, hash, definition }) => `${key} ${hash} ${JSON.stringify(definition).length}`)
    .join('\n');
