import { uuid } from '../../lib/ids.ts';

const MAX_ENTRIES = 128;
const MAX_BYTES = 256 * 1024;

type Pack = { id: string; entries: number; bytes: number };

/** Gives out the packs that the bodies of a batch of logs go into: per workspace, bounded in entries and size. */
export class BodyPacks {
  readonly #open = new Map<string, Pack>();

  /** The id of the pack for bodies of about `bytes`. */
  idFor(workspaceId: string, bytes: number): string {
    let pack = this.#open.get(workspaceId);
    if (!pack || pack.entries >= MAX_ENTRIES || pack.bytes + bytes > MAX_BYTES) {
      pack = { id: uuid(), entries: 0, bytes: 0 };
      this.#open.set(workspaceId, pack);
    }
    pack.entries++;
    pack.bytes += bytes;
    return pack.id;
  }
}
