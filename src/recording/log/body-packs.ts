import type { LogRecord } from './record.ts';

const MAX_ENTRIES = 128;
const MAX_BYTES = 256 * 1024;

type Pack = { id: string; entries: number; bytes: number };

/**
 * Gives out the packs that the bodies of a chunk of logs go into: per workspace, bounded in entries and size. A pack is named
 * after its first log, so that a log which is worked out again has its bodies where its stored record says.
 */
export class BodyPacks {
  readonly #open = new Map<string, Pack>();

  /** The id of the pack for a log's bodies of about `bytes`. */
  idFor({ _id, workspaceId }: Pick<LogRecord, '_id' | 'workspaceId'>, bytes: number): string {
    let pack = this.#open.get(workspaceId);
    if (!pack || pack.entries >= MAX_ENTRIES || pack.bytes + bytes > MAX_BYTES) {
      pack = { id: _id, entries: 0, bytes: 0 };
      this.#open.set(workspaceId, pack);
    }
    pack.entries++;
    pack.bytes += bytes;
    return pack.id;
  }
}
