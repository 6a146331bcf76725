/** What a store can be told; tests shorten the times. */
export type StoreOptions = {
  /** Milliseconds between two looks for expired documents and forgotten cursors. */
  ttlInterval: number;
  /** Milliseconds after which a cursor that nobody reads is closed. */
  cursorIdleLimit: number;
  /** Milliseconds after which a reader that nobody needs is ended, and its memory given back. */
  readerIdleLimit: number;
};

export const defaultOptions: StoreOptions = {
  ttlInterval: 60_000,
  cursorIdleLimit: 600_000,
  readerIdleLimit: 60_000,
};
