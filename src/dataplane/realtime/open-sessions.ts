import type { Principal } from '../../auth/index.ts';
import { GatewayError, toGatewayError } from '../../errors/index.ts';

/** Sessions that one credential may have open. */
const SESSIONS_OF_ONE = 100;
/** Sessions of this process. */
const SESSIONS = 5000;
/** Milliseconds between looks at the credentials: revoked and expired ones lose their sessions. */
const CHECK_INTERVAL = 1000;

export type Watched = {
  /** Rejects once the session may not be any more. */
  check(): Promise<void>;
  end(error: GatewayError): void;
};

export type Watch = {
  /** Takes a place for a session of this credential, or throws TOO_MANY_SUBSCRIPTIONS; the result gives it back. */
  enter(principal: Principal): () => void;
  /** Looks at a session from now on; the result ends that. */
  add(watched: Watched): () => void;
  open(): number;
  stop(): void;
};

/** What sessions of one credential have in common. The subject of a JWT may be anything, such as the id of another tenant's key. */
export const credentialName = ({ organisationId, kind, id }: Principal): string =>
  `${organisationId}/${kind}/${id}`;

/** Keeps an eye on the sessions of this process: how many they are, and whether they still may be. */
export function createWatch(): Watch {
  const counts = new Map<string, number>();
  const watched = new Set<Watched>();
  let total = 0;
  let timer: NodeJS.Timeout | undefined;

  async function checkAll(): Promise<void> {
    for (const session of [...watched]) {
      try {
        await session.check();
      } catch (thrown) {
        const error = toGatewayError(thrown);
        // A database that does not answer says nothing about a credential.
        if (error.entry.status < 500) session.end(error);
      }
    }
    schedule();
  }

  function schedule(): void {
    timer = watched.size > 0 ? setTimeout(checkAll, CHECK_INTERVAL).unref() : undefined;
  }

  return {
    enter(principal) {
      const name = credentialName(principal);
      const count = counts.get(name) ?? 0;
      if (count >= SESSIONS_OF_ONE || total >= SESSIONS) {
        throw new GatewayError('TOO_MANY_SUBSCRIPTIONS', {
          message: 'The credential, or the gateway, has too many open realtime sessions.',
        });
      }
      total++;
      counts.set(name, count + 1);
      return () => {
        total--;
        const left = (counts.get(name) ?? 0) - 1;
        if (left > 0) counts.set(name, left);
        else counts.delete(name);
      };
    },
    add(session) {
      watched.add(session);
      if (!timer) schedule();
      return () => watched.delete(session);
    },
    open: () => total,
    stop() {
      clearTimeout(timer);
      watched.clear();
    },
  };
}
