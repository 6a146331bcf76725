import { LRUCache } from 'lru-cache';
import type { Collection } from 'mongodb';
import type { FileOwner } from './file.ts';
import type { ContentDocument } from './kept-contents.ts';

/** Milliseconds for which a sum counts: until then a workspace may go beyond its bound. */
const SUM_LASTS_MS = 5000;

/** Answers how many bytes a workspace may still store, of `limit` in all. Equal contents count once. */
export function createQuota(contents: () => Collection<ContentDocument>, limit: number) {
  const sums = new LRUCache<string, number>({ max: 10_000, ttl: SUM_LASTS_MS });

  async function sumOf({ organisationId, workspaceId }: FileOwner): Promise<number> {
    const [found] = await contents()
      .aggregate<{ bytes: number }>([
        { $match: { organisationId, workspaceId, state: 'stored' } },
        { $group: { _id: null, bytes: { $sum: '$bytes' } } },
      ])
      .toArray();
    return found?.bytes ?? 0;
  }

  return {
    async roomOf(owner: FileOwner): Promise<number> {
      const known = sums.get(owner.workspaceId);
      const sum = known ?? (await sumOf(owner));
      if (known === undefined) sums.set(owner.workspaceId, sum);
      return Math.max(0, limit - sum);
    },
    /** What was stored or removed counts from now on. */
    changed: ({ workspaceId }: FileOwner): void => void sums.delete(workspaceId),
  };
}
