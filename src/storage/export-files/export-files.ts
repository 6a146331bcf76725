/** Where the contents of finished exports lie, by name. */
export type ExportFiles = {
  /**
   * Stores a whole content, or nothing: one that breaks off, or is aborted, leaves nothing that could be read. Holds a
   * few megabytes of it at a time.
   */
  write(name: string, content: AsyncIterable<Buffer>, signal: AbortSignal): Promise<void>;
  /** Removes a content and what a writer that died has left of it; what is not there is no error. */
  remove(name: string): Promise<void>;
  /** A URL that gives the content to whoever has it for `seconds`; null where this process serves contents itself. */
  link(name: string, seconds: number): Promise<string | null>;
  /** The content, where this process serves it; null when it is not here. */
  open(name: string): Promise<StoredContent | null>;
};

/** `read` opens the content; bytes that nobody asks for are not read. */
export type StoredContent = { bytes: number; read(): AsyncIterable<Uint8Array> };
