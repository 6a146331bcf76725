import { closeSync, ftruncateSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Logger } from '../../lib/logger.ts';
import { type Lease, slackOf } from '../ledger/lease.ts';
import type { Slot } from '../ledger/slot.ts';
import { journalName } from './file-name.ts';
import { type JournalOwner, thisProcess } from './owner.ts';
import { RecordWriter } from './records.ts';

export type JournalOptions = {
  /** Where journals of all processes on this data directory are. It is made when it is not there. */
  directory: string;
  processId: string;
  /** Every counter that the process keeps. */
  slots(): Iterable<Slot>;
  log: Logger;
  /** Milliseconds until a journal that could not be written is begun anew. */
  retryMs?: number;
};

/** Milliseconds after which is written exactly what there is. */
const FLUSH_MS = 50;
/** Calls in that time for which a write each is affordable. */
const CALM_WRITES = 10;
const RETRY_MS = 10_000;
/** Bytes of records beyond which a file is replaced by one that has only the present state. */
const LEAST_SURPLUS = 256 * 1024;

/** `named`: leases with a higher place than this are named in the file. */
type OpenJournal = { descriptor: number; path: string; named: number; size: number; replaceAt: number };

/**
 * What this process has used and holds of its leases, in a file that outlives it. A kill leaves the file as it is, since the
 * system has it; a power cut may not, but then the next start does not read it either.
 *
 * What a call takes is in the file before the call goes out. Where many calls come at once, an entry says in advance that
 * as much again is held as they took by then, so that the next ones need no write. A kill in the midst of them then leaves
 * a little too much spent, and never too little.
 *
 * Calls never wait for it and never fail by it. While it cannot be written there is none: what the process leases stays spent
 * if it is killed then.
 */
export class Journal {
  readonly #options: JournalOptions;
  readonly #owner: JournalOwner | null = thisProcess();
  readonly #records = new RecordWriter();
  /** What is to be written. */
  #changed: Slot[] = [];
  #file: OpenJournal | null = null;
  #generation = 0;
  #places = 0;
  #flushing: NodeJS.Timeout | undefined;
  /** Writes for calls since the last one that was made in its own time. */
  #pressed = 0;
  #retrying: NodeJS.Timeout | undefined;
  #isLost = false;

  constructor(options: JournalOptions) {
    this.#options = options;
  }

  /** Whether it should be written and cannot be. */
  get isLost(): boolean {
    return this.#isLost;
  }

  open(): void {
    if (this.#owner) this.#begin(this.#owner);
  }

  /** `isTaken`: a call is about to go out, so it is written at once. */
  readonly note = (slots: readonly Slot[], isTaken: boolean): void => {
    if (!this.#file) return;
    this.#change(slots);
    if (isTaken && slots.some(isBeyondNoted)) {
      this.#pressed += 1;
      if (this.#pressed > CALM_WRITES) this.#writeAhead(slots);
      else this.#flush();
    }
    this.#flushing ??= setTimeout(this.#flushLater, FLUSH_MS).unref();
  };

  /** Before a message about these counters is sent: nothing may be leased or reported that the journal does not name. */
  beforeRound(slots: readonly Slot[]): void {
    if (!this.#file) return;
    this.#change(slots);
    this.#flush();
  }

  /** After a round: most of what was written is of no use any more. */
  afterRound(): void {
    if (this.#file && this.#owner && this.#file.size > this.#file.replaceAt) this.#begin(this.#owner);
  }

  /** `isSettled`: the store knows all, so that nothing is left to recover. */
  close(isSettled: boolean): void {
    this.#flush();
    clearTimeout(this.#flushing);
    clearTimeout(this.#retrying);
    const file = this.#file;
    if (!file) return;
    this.#file = null;
    try {
      closeSync(file.descriptor);
      if (isSettled) rmSync(file.path, { force: true });
    } catch (error) {
      this.#options.log.warn({ error, path: file.path }, 'The journal of limits could not be closed.');
    }
  }

  readonly #flushLater = (): void => {
    this.#flushing = undefined;
    this.#pressed = 0;
    this.#flush();
  };

  #flush(): void {
    if (!this.#file || this.#changed.length === 0) return;
    try {
      for (let index = 0; index < this.#changed.length; index++)
        this.#add(this.#changed[index] as Slot, this.#file);
      this.#forgetChanges();
      this.#append(this.#file);
    } catch (error) {
      this.#lose(error);
    }
  }

  /** Says of the slots of a call that more is held than is. `#flushLater` then writes them as they are. */
  #writeAhead(slots: readonly Slot[]): void {
    if (!this.#file) return;
    try {
      for (let index = 0; index < slots.length; index++)
        this.#add(slots[index] as Slot, this.#file, aheadOf(slots[index] as Slot));
      this.#append(this.#file);
    } catch (error) {
      this.#lose(error);
    }
  }

  #change(slots: readonly Slot[]): void {
    for (let index = 0; index < slots.length; index++) {
      const slot = slots[index] as Slot;
      if (slot.isUnwritten) continue;
      slot.isUnwritten = true;
      this.#changed.push(slot);
    }
  }

  #forgetChanges(): void {
    for (let index = 0; index < this.#changed.length; index++)
      (this.#changed[index] as Slot).isUnwritten = false;
    this.#changed.length = 0;
  }

  #add({ id, lease }: Slot, { named }: OpenJournal, ahead = 0): void {
    if (lease.place <= named) {
      lease.place = ++this.#places;
      this.#records.name(lease.place, id, lease.key);
    }
    lease.noted = spentOf(lease) + ahead;
    if (ahead === 0) lease.calm = lease.noted;
    this.#records.state(lease.place, lease.used, lease.held + ahead);
  }

  #append(file: OpenJournal): void {
    const { bytes, length } = this.#records.take();
    // A disk may have room for a part.
    if (writeSync(file.descriptor, bytes, 0, length) !== length) throw new Error('A record was cut short.');
    file.size += length;
  }

  /** Starts a file with all that there is now, and ends the one before it. */
  #begin(owner: JournalOwner): void {
    const { directory, processId, slots, log } = this.#options;
    const before = this.#file;
    this.#file = null;
    const name = journalName({ processId, owner, generation: ++this.#generation });
    const path = join(directory, name);
    try {
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      const descriptor = openSync(path, 'wx', 0o600);
      const file = { descriptor, path, named: this.#places, size: 0, replaceAt: 0 };
      this.#file = file;
      for (const slot of slots()) {
        slot.lease.noted = 0;
        if (isToldOf(slot)) this.#add(slot, file);
      }
      this.#append(file);
      this.#forgetChanges();
      file.replaceAt = file.size + Math.max(LEAST_SURPLUS, file.size);
      if (this.#isLost) log.info('The journal of limits is written again.');
      this.#isLost = false;
    } catch (error) {
      this.#lose(error);
    }
    if (before) this.#remove(before);
  }

  /** What was written is out of date with the next call, so nobody may recover by it. */
  #lose(error: unknown): void {
    const { log, retryMs = RETRY_MS } = this.#options;
    this.#records.take();
    this.#forgetChanges();
    if (!this.#isLost)
      log.warn(
        { error },
        'The journal of limits cannot be written. Calls go on; what this process leases stays spent if it is killed now.',
      );
    this.#isLost = true;
    const file = this.#file;
    this.#file = null;
    if (file) this.#remove(file);
    clearTimeout(this.#retrying);
    this.#retrying = setTimeout(() => this.open(), retryMs).unref();
  }

  /** Makes sure that a file says nothing, in whichever way a failing disk allows, and removes it. */
  #remove({ descriptor, path }: OpenJournal): void {
    const ways = [
      () => rmSync(path, { force: true }),
      () => ftruncateSync(descriptor, 0),
      // A first record that is not whole.
      () => writeSync(descriptor, Buffer.alloc(4, 0xff), 0, 4, 0),
    ];
    const errors: unknown[] = [];
    for (const way of ways) {
      try {
        way();
        break;
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length === ways.length)
      this.#options.log.error(
        { error: new AggregateError(errors), path },
        'A journal of limits that is out of date could not be removed: remove it by hand before this process ends.',
      );
    try {
      closeSync(descriptor);
    } catch (error) {
      this.#options.log.warn({ error, path }, 'A journal of limits could not be closed.');
    }
  }
}

const spentOf = ({ used, held }: Lease): number => used + held;

const isBeyondNoted = ({ lease }: Slot): boolean => spentOf(lease) > lease.noted;

/** As much as was taken since the last calm, and no more than there is to take. */
function aheadOf({ lease, isFree }: Slot): number {
  const taken = Math.max(0, spentOf(lease) - lease.calm);
  return isFree ? taken : Math.min(taken, Math.max(0, slackOf(lease)));
}

/** Whether the store may have a lease of a slot, or a call holds something. */
const isToldOf = ({ lease }: Slot): boolean => lease.sent > 0 || lease.used !== 0 || lease.held !== 0;
