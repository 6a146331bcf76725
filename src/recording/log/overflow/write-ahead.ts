import type { KeyObject } from 'node:crypto';
import { closeSync, ftruncateSync, mkdirSync, openSync, statfsSync, writeSync, writevSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from '../../../lib/logger.ts';
import type { Chunk } from '../codec/draft-codec.ts';
import type { OwnDirectories } from './own-directories.ts';
import { beginSealing, type SealedPiece, type Sealing } from './sealed-file.ts';
import { requireSpace } from './spared-space.ts';
import type { OverflowFile } from './waiting-files.ts';

/** For how long a disk that refused is left alone. */
const REST_MS = 5000;

/** Up to so many bytes, to put the parts of a piece together and write one takes half the time of writing them. */
const COPIED_BYTES = 16 * 1024;

type OpenFile = { path: string; descriptor: number; bytes: number; drafts: number; begunAt: number };

/**
 * Drafts that outlive a kill of this process from the moment at which they are taken. The process waits while the
 * system takes them into memory of its own, for microseconds.
 */
export class WriteAhead {
  readonly #directories: OwnDirectories;
  readonly #key: KeyObject;
  readonly #log: Logger;
  #current: OpenFile | null = null;
  #count = 0;
  #restUntil = 0;
  /** Begun ahead: whoever waits for the next piece need not wait for that as well. */
  #next: Sealing | null = null;

  constructor(directories: OwnDirectories, key: KeyObject, log: Logger) {
    this.#directories = directories;
    this.#key = key;
    this.#log = log;
  }

  /** Bytes of the file that takes more. */
  get bytes(): number {
    return this.#current?.bytes ?? 0;
  }

  /** Milliseconds since that file was made; 0 where there is none. */
  get age(): number {
    return this.#current ? performance.now() - this.#current.begunAt : 0;
  }

  /** False, and nothing of the chunk is there, where the disk does not take it. */
  write(chunk: Chunk): boolean {
    if (performance.now() < this.#restUntil) return false;
    try {
      this.#current ??= this.#begin();
      const sealing = this.#next ?? beginSealing(this.#key);
      this.#next = null;
      append(this.#current, sealing.seal(chunk.bytes));
      this.#current.drafts += chunk.drafts;
      setImmediate(() => this.#prepare());
      return true;
    } catch (error) {
      this.#restUntil = performance.now() + REST_MS;
      this.#log.warn({ error }, 'The disk does not take request logs at once; a kill may lose the latest.');
      return false;
    }
  }

  /** The file so far, which takes no more; null where there is none. */
  finish(): OverflowFile | null {
    if (!this.#current) return null;
    const { descriptor, begunAt: _at, ...file } = this.#current;
    this.#current = null;
    closeSync(descriptor);
    return { ...file, failures: 0 };
  }

  #prepare(): void {
    this.#next ??= beginSealing(this.#key);
  }

  #begin(): OpenFile {
    const path = join(this.#directories.own, `ahead-${String(this.#count++).padStart(9, '0')}`);
    const descriptor = this.#create(path);
    this.#directories.addOwn();
    return { path, descriptor, bytes: 0, drafts: 0, begunAt: performance.now() };
  }

  #create(path: string): number {
    const { own } = this.#directories;
    const create = () => {
      mkdirSync(own, { recursive: true, mode: 0o700 });
      requireSpace(statfsSync(own));
      return openSync(path, 'wx', 0o600);
    };
    try {
      return create();
    } catch {
      // The empty directory may have been removed meanwhile.
      return create();
    }
  }
}

/** A part of a piece would hide those that follow it. */
function append(file: OpenFile, { parts, length }: SealedPiece): void {
  const written =
    length <= COPIED_BYTES
      ? writeSync(file.descriptor, Buffer.concat(parts, length))
      : writevSync(file.descriptor, parts);
  if (written < length) {
    ftruncateSync(file.descriptor, file.bytes);
    throw new Error(`The disk took ${written} of ${length} bytes.`);
  }
  file.bytes += length;
}
