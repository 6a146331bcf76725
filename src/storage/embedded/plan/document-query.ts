import type { Collation } from '../query/collation.ts';
import type { SortField } from '../query/sort.ts';
import type { Document } from '../value/types.ts';

/** What a command asks of a collection: which documents, in which order, and how many. */
export type DocumentQuery = {
  filter: Document;
  sort?: readonly SortField[];
  skip?: number;
  limit?: number;
  hint?: unknown;
  collation?: Collation | null;
  variables?: Document | undefined;
};
