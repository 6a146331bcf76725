/** Where large contents lie, by name: those of finished exports, and those of files. */
export type Contents = {
  /**
   * Stores a whole content, or nothing: a write that fails or is aborted leaves nothing that could be read. It holds
   * a few megabytes in memory at a time. Fails with the code ENOSPC where there is no room.
   */
  write(name: string, content: AsyncIterable<Buffer>, signal: AbortSignal): Promise<void>;
  /** Removes a content, and what a crashed writer has left of it; a content that does not exist is no error. */
  remove(name: string): Promise<void>;
  /**
   * A URL that is valid for `seconds` and gives the content to everybody who has it; null where this process serves
   * contents itself.
   */
  link(name: string, seconds: number): Promise<string | null>;
  /** The content; null when it is not there. */
  open(name: string): Promise<StoredContent | null>;
};

/** The bytes from `start` to `end`, both included. */
export type ByteRange = { start: number; end: number };

/** `read` opens the content; bytes that nobody asks for are not read. */
export type StoredContent = { bytes: number; read(range?: ByteRange): AsyncIterable<Uint8Array> };
