import type { Collection } from 'mongodb';
import type { RunDeps } from '../deps.ts';
import type { KeptItem } from '../items.ts';

/** The items of responses and conversations: they lie with those of threads. */
export const keptItems = ({ items }: Pick<RunDeps, 'items'>): Collection<KeptItem> =>
  items() as unknown as Collection<KeptItem>;
