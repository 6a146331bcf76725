import { isObject } from '../../lib/json.ts';
import type { Secrets } from '../../storage/secrets.ts';

/** Where on which stream of a server an event stood. */
export type StreamPlace = {
  /** Uuid of the caller's session. */
  session: string;
  /** The id that the server gave it. */
  event: string;
  /** The request whose stream it was; null for the stream of the session. `subject`: the name or the address it is about. */
  request: { id: string | number; method: string; subject: string } | null;
};

/** Makes ids of events, with which any process can take up a stream that broke off. */
export type EventSeal = {
  seal(place: StreamPlace): string;
  /** Null for a text that is no id of ours. */
  open(text: string): StreamPlace | null;
};

const PREFIX = 'gwe_';
const OWNER = 'mcp event';
/** Characters of the longest id that is looked at. */
const MAX_LENGTH = 8192;

export function createEventSeal(secrets: Pick<Secrets, 'encrypt' | 'decrypt'>): EventSeal {
  return {
    seal: (place) => PREFIX + secrets.encrypt(JSON.stringify(place), OWNER).slice('v1.'.length),
    open(text) {
      if (!text.startsWith(PREFIX) || text.length > MAX_LENGTH) return null;
      try {
        const value: unknown = JSON.parse(secrets.decrypt(`v1.${text.slice(PREFIX.length)}`, OWNER));
        return isObject(value) ? (value as StreamPlace) : null;
      } catch {
        // Whatever was changed in it, it is no id of ours.
        return null;
      }
    },
  };
}
