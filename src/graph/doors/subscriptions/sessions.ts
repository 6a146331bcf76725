import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { Principal } from '../../../auth/index.ts';
import { GatewayError } from '../../../errors/index.ts';
import { clientAddress } from '../../../lib/http/client-address.ts';
import type { GraphContext } from '../../../subgraphs/context.ts';
import { toGraphError } from '../errors.ts';

/** One connection that stays, and the credential that it stands on. */
export type Session = {
  /** A new context for the credential as it is now; throws when it is not valid any more. */
  renew(): Promise<GraphContext>;
  /** Call when the connection is gone. */
  close(): void;
};

type Opening = {
  request: IncomingMessage;
  /** The headers of the request, and those that came in the first message. */
  headers: IncomingHttpHeaders;
  /** The request id, in log and audit trail, of everything that comes over the connection. */
  requestId: string;
  /** Called when the credential is valid no more. */
  end(error: GatewayError): void;
};

export type Sessions = {
  /** Throws UNAUTHENTICATED without a valid credential. */
  open(opening: Opening): Promise<Session>;
  /** Looks at the credentials soon, since something that they stand on has changed. */
  lookAgain(): void;
  stop(): void;
};

/** A request to be let in. Without a socket it is a repeated check of a caller who is in already. */
export type Knock = { headers: IncomingHttpHeaders; socket?: Pick<Socket, 'remoteAddress'> | undefined };

type OpenSession = { check(): Promise<Principal>; end: (error: GatewayError) => void };

/** Connections that one credential may have open, over both transports. */
const CONNECTIONS = 100;
/** Milliseconds between looks at the credentials: expired ones lose their connections, and revoked ones at the latest. */
const CHECK_INTERVAL = 1000;
/** Milliseconds between a change and the look at the credentials, which one look for many changes has. */
const CHECK_SOON = 50;
/** How many times as long as a look took nobody looks again, however much changes, but for the next look of each second. */
const REST = 10;

/**
 * The key includes the kind of credential: the subject of a JWT may be any text, even the id of another tenant's key.
 */
const quotaOf = ({ organisationId, kind, id }: Principal) => `${organisationId}/${kind}/${id}`;

/** Checks the credentials of long-lived connections again and again. */
export function createSessions(options: {
  authenticate(knock: Knock): Promise<Principal | null>;
  createContext(principal: Principal, request: IncomingMessage): GraphContext;
}): Sessions {
  const sessions = new Set<OpenSession>();
  const connections = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;
  /** Whether something has changed since the last look began. */
  let hasChanged = false;
  let isLooking = false;
  let restUntil = 0;

  async function checkAll(): Promise<void> {
    const startedAt = performance.now();
    hasChanged = false;
    isLooking = true;
    for (const session of [...sessions]) {
      try {
        await session.check();
      } catch (thrown) {
        const error = toGraphError(thrown);
        // When the database does not answer, the credential still counts as valid.
        if (error.entry.status < 500) session.end(error);
      }
    }
    isLooking = false;
    const now = performance.now();
    restUntil = now + REST * (now - startedAt);
    schedule();
  }

  function schedule(): void {
    clearTimeout(timer);
    const soon = Math.max(CHECK_SOON, restUntil - performance.now());
    const wait = hasChanged ? Math.min(soon, CHECK_INTERVAL) : CHECK_INTERVAL;
    timer = sessions.size > 0 ? setTimeout(checkAll, wait).unref() : undefined;
  }

  function count(id: string, change: number): void {
    const number = (connections.get(id) ?? 0) + change;
    if (number > 0) connections.set(id, number);
    else connections.delete(id);
  }

  return {
    async open({ request, headers, requestId, end }) {
      async function check(socket?: Knock['socket']): Promise<Principal> {
        const principal = await options.authenticate({ headers, socket });
        if (!principal) throw new GatewayError('UNAUTHENTICATED');
        return principal;
      }
      const principal = await check({ remoteAddress: clientAddress(request) });
      const id = quotaOf(principal);
      if ((connections.get(id) ?? 0) >= CONNECTIONS) throw new GatewayError('TOO_MANY_SUBSCRIPTIONS');
      /** The credential must still mean the workspace for which the subscription was made, and reach as far. */
      async function checkAgain(): Promise<Principal> {
        const now = await check();
        if (now.workspaceId === principal.workspaceId && reachesAsFar(now, principal)) return now;
        throw new GatewayError('FORBIDDEN', { message: 'The roles have changed. Connect again.' });
      }
      const session = { check: checkAgain, end };
      sessions.add(session);
      count(id, 1);
      if (!timer) schedule();
      const gone = new AbortController();
      return {
        async renew() {
          const context = options.createContext(await checkAgain(), request);
          return { ...context, request: { ...context.request, id: requestId }, signal: gone.signal };
        },
        close() {
          gone.abort();
          if (sessions.delete(session)) count(id, -1);
        },
      };
    },
    lookAgain() {
      if (hasChanged || !timer) return;
      hasChanged = true;
      if (!isLooking) schedule();
    },
    stop() {
      clearTimeout(timer);
      sessions.clear();
    },
  };
}

/** What lost a scope, or sees less by one, would go on as before: a stream keeps the filter that it began with. */
function reachesAsFar(now: Principal, before: Principal): boolean {
  if (now.scopes === before.scopes) return true;
  const hasAll = [...before.scopes].every((scope) => now.scopes.has(scope));
  return hasAll && [...(now.ownOnly ?? [])].every((kind) => before.ownOnly?.has(kind));
}
