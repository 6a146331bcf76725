import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { OwnDirectories } from './own-directories.ts';
import type { Batch } from './sealed-queue.ts';
import type { WaitingFiles } from './waiting-files.ts';

type OpenFile = { path: string; handle: FileHandle; bytes: number; drafts: number };

/** Bytes after which the next file is begun. */
export const FILE_BYTES = 2 * 1024 * 1024;

/** Writes sealed drafts to one file after another; each whole one joins those that wait. */
export class FileWriter {
  readonly #directories: OwnDirectories;
  readonly #files: WaitingFiles;
  #current: OpenFile | null = null;
  #count = 0;

  constructor(directories: OwnDirectories, files: WaitingFiles) {
    this.#directories = directories;
    this.#files = files;
  }

  get isOpen(): boolean {
    return this.#current !== null;
  }

  /** Resolves when the system has the bytes. When it rejects, the batch has to be written again. */
  async write({ chunks, length, drafts }: Batch): Promise<void> {
    this.#current ??= await this.#begin();
    const file = this.#current;
    const { bytesWritten } = await file.handle.writev(chunks.flatMap(({ piece }) => piece.parts));
    if (bytesWritten < length) {
      // A disk that fills up takes the beginning. It would be left out when the file is read, and takes up room.
      await file.handle.truncate(file.bytes);
      throw new Error(`The disk took ${bytesWritten} of ${length} bytes.`);
    }
    file.bytes += length;
    file.drafts += drafts;
    this.#files.bytes += length;
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
    return open(path, 'wx', 0o600);
  }
}
