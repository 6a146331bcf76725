import type { Secrets } from '../../storage/secrets.ts';
import { createJsonSeal, type JsonSeal } from './json-seal.ts';

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
export type EventSeal = JsonSeal<StreamPlace>;

export const createEventSeal = (secrets: Pick<Secrets, 'encrypt' | 'decrypt'>): EventSeal =>
  createJsonSeal(secrets, { prefix: 'gwe_', owner: 'mcp event', maxLength: 8192 });
