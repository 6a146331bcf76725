import type { RunDeps } from '../deps.ts';
import type { ThreadItem } from '../items.ts';

/**
 * The newest items of a thread in their order. Each kind is looked for by itself: the index by which messages are listed has
 * the items of one kind in their order.
 */
export async function newestItems(
  { items }: Pick<RunDeps, 'items'>,
  threadId: string,
  count: number,
): Promise<ThreadItem[]> {
  const ofKind = (kind: ThreadItem['kind']) =>
    items().find({ threadId, kind }).sort({ createdAt: -1, _id: -1 }).limit(count).toArray();
  const [messages, calls] = await Promise.all([ofKind('message'), ofKind('calls')]);
  if (calls.length === 0) return messages.reverse();
  return [...messages, ...calls].sort(inOrder).slice(-count);
}

function inOrder(a: ThreadItem, b: ThreadItem): number {
  const byTime = a.createdAt.getTime() - b.createdAt.getTime();
  if (byTime !== 0) return byTime;
  return a._id < b._id ? -1 : 1;
}
