import { type FileHandle, mkdir, open, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import type { OwnDirectories } from './own-directories.ts';
import type { SealedPiece } from './sealed-file.ts';
import { requireSpace } from './spared-space.ts';
import type { WaitingFiles } from './waiting-files.ts';

/** `isTold`: metrics and spans know of the drafts, since the database has refused them. */
export type SealedChunk = { piece: SealedPiece; drafts: number; isTold: boolean };

type OpenFile = { path: string; handle: FileHandle; bytes: number; drafts: number };

/** Bytes after which the next file is begun. */
export const FILE_BYTES = 2 * 1024 * 1024;

/** Writes sealed drafts to one file after another; each whole one joins those that wait. */
export class FileWriter {
  readonly #directories: OwnDirectories;
  readonly #files: WaitingFiles;
  #current: OpenFile | null = null;
  #count = 0;
  /** Drafts, over all files. */
  written = 0;

  constructor(directories: OwnDirectories, files: WaitingFiles) {
    this.#directories = directories;
    this.#files = files;
  }

  get isOpen(): boolean {
    return this.#current !== null;
  }

  /** Of the file that takes more. */
  get bytes(): number {
    return this.#current?.bytes ?? 0;
  }

  /**
   * Resolves when the system has the bytes and, where the database has refused some of them, the disk: nobody knows for how
   * long those wait. When it rejects, the batch has to be written again.
   */
  async write(chunks: readonly SealedChunk[]): Promise<void> {
    this.#current ??= await this.#begin();
    const file = this.#current;
    const length = chunks.reduce((sum, { piece }) => sum + piece.length, 0);
    const { bytesWritten } = await file.handle.writev(chunks.flatMap(({ piece }) => piece.parts));
    if (bytesWritten < length) {
      // A disk that fills up takes the beginning. It would be left out when the file is read, and takes up room.
      await file.handle.truncate(file.bytes);
      throw new Error(`The disk took ${bytesWritten} of ${length} bytes.`);
    }
    file.bytes += length;
    if (chunks.some(({ isTold }) => isTold)) await file.handle.datasync();
    for (const { drafts } of chunks) {
      file.drafts += drafts;
      this.written += drafts;
    }
    if (file.bytes >= FILE_BYTES) await this.finish();
  }

  /** What was written waits for the thread from now on. */
  async finish(): Promise<void> {
    if (!this.#current) return;
    const { handle, ...file } = this.#current;
    this.#current = null;
    if (file.drafts > 0) this.#files.add({ ...file, failures: 0 });
    await handle.close();
    if (file.drafts === 0) await rm(file.path, { force: true });
  }

  async #begin(): Promise<OpenFile> {
    const path = join(this.#directories.own, String(this.#count++).padStart(6, '0'));
    // Where the empty directory was removed meanwhile, it is made once more.
    const handle = await this.#create(path).catch(() => this.#create(path));
    this.#directories.addOwn();
    return { path, handle, bytes: 0, drafts: 0 };
  }

  async #create(path: string): Promise<FileHandle> {
    await mkdir(this.#directories.own, { recursive: true, mode: 0o700 });
    requireSpace(await statfs(this.#directories.own));
    return open(path, 'wx', 0o600);
  }
}
