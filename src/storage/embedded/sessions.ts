import { Binary } from 'bson';
import { type Document, isDocument } from './value/types.ts';

/** Minutes after which a session that nobody uses is forgotten, as hello announces. */
export const sessionMinutes = 30;

type Session = { lsid: Document; lastUse: number };

/** The logical sessions that drivers number their commands with. Nothing here depends on them. */
export class LogicalSessions {
  readonly #known = new Map<string, Session>();

  /** Notes that a command came in a session. */
  touch(lsid: unknown): void {
    const key = keyOf(lsid);
    if (key === null) return;
    const known = this.#known.get(key);
    if (known) known.lastUse = Date.now();
    else this.#known.set(key, { lsid: lsid as Document, lastUse: Date.now() });
  }

  end(lsids: unknown): void {
    for (const lsid of Array.isArray(lsids) ? lsids : []) this.#known.delete(keyOf(lsid) ?? '');
  }

  /** The sessions as `$listLocalSessions` shows them. */
  list(): Document[] {
    return [...this.#known.values()].map(({ lsid, lastUse }) => ({ _id: lsid, lastUse: new Date(lastUse) }));
  }

  sweep(now = Date.now()): void {
    for (const [key, { lastUse }] of this.#known) {
      if (now - lastUse > sessionMinutes * 60_000) this.#known.delete(key);
    }
  }
}

function keyOf(lsid: unknown): string | null {
  if (!isDocument(lsid) || !(lsid.id instanceof Binary)) return null;
  return Buffer.from(lsid.id.buffer).toString('latin1');
}
