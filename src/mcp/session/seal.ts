import { grownCache } from '../../lib/grown-cache.ts';
import { isObject } from '../../lib/json.ts';
import type { Secrets } from '../../storage/secrets.ts';
import type { McpSession } from './session.ts';

export type SessionSeal = {
  seal(session: McpSession): string;
  /** Null for a text that is no session of this installation, or of one that has ended. */
  open(text: string): McpSession | null;
};

const PREFIX = 'gws_';
const OWNER = 'mcp session';
/** Characters of the longest id that is looked at. */
const MAX_LENGTH = 4096;
/** Bytes of what a caller says of itself that go into an id. */
const MAX_SAID = 1024;
/** Ids that a process remembers, so that each is opened once. */
const REMEMBERED = 5000;

/** Makes ids out of sessions, which nobody else can make or change. `now`: milliseconds since the epoch. */
export function createSessionSeal(
  secrets: Pick<Secrets, 'encrypt' | 'decrypt'>,
  now: () => number,
): SessionSeal {
  const opened = grownCache<McpSession>(REMEMBERED);

  function opening(text: string): McpSession | null {
    if (!text.startsWith(PREFIX) || text.length > MAX_LENGTH) return null;
    try {
      const value: unknown = JSON.parse(secrets.decrypt(`v1.${text.slice(PREFIX.length)}`, OWNER));
      return isObject(value) ? (value as McpSession) : null;
    } catch {
      // Whatever was changed in it, it is no session.
      return null;
    }
  }

  return {
    seal(session) {
      const sealed = secrets.encrypt(JSON.stringify(bounded(session)), OWNER);
      return `${PREFIX}${sealed.slice('v1.'.length)}`;
    },
    open(text) {
      const session = opened.get(text) ?? opening(text);
      if (session === null || session.expiresAt * 1000 <= now()) return null;
      opened.set(text, session);
      return session;
    },
  };
}

/** Clients with long descriptions of themselves get a session too: what a server has to know are the capabilities. */
function bounded(session: McpSession): McpSession {
  const { clientInfo, capabilities } = session;
  const { name = 'client', version = '' } = clientInfo;
  return {
    ...session,
    ...(JSON.stringify(clientInfo).length > MAX_SAID / 2 && {
      clientInfo: { name: String(name).slice(0, 128), version: String(version).slice(0, 64) },
    }),
    ...(JSON.stringify(capabilities).length > MAX_SAID && {
      capabilities: Object.fromEntries(
        ['elicitation', 'sampling', 'roots'].filter((each) => each in capabilities).map((each) => [each, {}]),
      ),
    }),
  };
}
