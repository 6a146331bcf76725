import { grownCache } from '../../lib/grown-cache.ts';
import type { Secrets } from '../../storage/secrets.ts';
import { createJsonSeal } from './json-seal.ts';
import type { McpSession } from './session.ts';

export type SessionSeal = {
  seal(session: McpSession): string;
  /** Null for a text that is no session of this installation, or of one that has ended. */
  open(text: string): McpSession | null;
};

/** Bytes of what a caller says of itself that go into an id. */
const MAX_SAID = 1024;
/** Characters of the longest id that clients and what stands before the gateway take. */
const MAX_ID = 4096;
/** Ids that a process remembers, so that each is opened once. */
const REMEMBERED = 5000;

/** Makes ids out of sessions, which nobody else can make or change. `now`: milliseconds since the epoch. */
export function createSessionSeal(
  secrets: Pick<Secrets, 'encrypt' | 'decrypt'>,
  now: () => number,
): SessionSeal {
  const opened = grownCache<McpSession>(REMEMBERED);
  const texts = createJsonSeal<McpSession>(secrets, {
    ...{ prefix: 'gws_', owner: 'mcp session', maxLength: MAX_ID },
  });
  return {
    seal(session) {
      const own = bounded(session);
      const text = texts.seal(own);
      // A server with very long ids has another session opened by the first request, which is kept in the store.
      return text.length <= MAX_ID ? text : texts.seal({ ...own, upstream: null });
    },
    open(text) {
      const session = opened.get(text) ?? texts.open(text);
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
    ...(bytesOf(clientInfo) > MAX_SAID / 2 && {
      clientInfo: { name: String(name).slice(0, 128), version: String(version).slice(0, 64) },
    }),
    ...(bytesOf(capabilities) > MAX_SAID && {
      capabilities: Object.fromEntries(
        ['elicitation', 'sampling', 'roots'].filter((each) => each in capabilities).map((each) => [each, {}]),
      ),
    }),
  };
}

const bytesOf = (value: object): number => Buffer.byteLength(JSON.stringify(value));
