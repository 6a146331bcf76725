import type { Cursors } from '../cursors.ts';
import type { Readers } from '../reader/readers.ts';
import type { CatalogueView } from './catalogue-view.ts';
import type { Database } from './file/database.ts';

/** What a reading command works with, in the writer's thread and in a reader thread. */
export type ReadStore = {
  database: Database;
  catalogue: CatalogueView;
  cursors: Cursors;
  /** The reader threads; null in such a thread itself. */
  readers: Readers | null;
};
