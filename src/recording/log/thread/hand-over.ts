import type { Logger } from '../../../lib/logger.ts';
import { type Chunk, DraftBuffer } from '../codec/draft-codec.ts';
import type { ExchangeDraft } from '../draft.ts';
import type { Overflow } from '../overflow/overflow.ts';
import type { OverflowFile } from '../overflow/waiting-files.ts';
import type { LogCounters, WorkDone, WorkRefused } from './messages.ts';
import type { HandoverPace } from './pace.ts';
import { UnderWay } from './under-way.ts';
import type { WorkerPort } from './worker-port.ts';

/** For how long a file takes further drafts that are kept: making one takes longer than writing thirty of them. */
const KEPT_MS = 200;
/** For how long a database that refused logs is left alone. */
const AWAY_MS = 5000;

/**
 * Decides where each draft is: in the buffer, under way to the thread, or in the overflow. A draft leaves one of them only
 * for another, or is counted as written or lost.
 */
export class HandOver {
  readonly #buffer = new DraftBuffer((chunk) => this.#handOver(chunk));
  /** Drafts that are to be kept, of one turn of the event loop. */
  readonly #toKeep = new DraftBuffer((chunk) => this.#keepChunk(chunk));
  #keeping: Promise<void> | null = null;
  readonly #underWay = new UnderWay();
  readonly counters: LogCounters = { waiting: 0, written: 0, spooled: 0, dropped: 0 };
  readonly #port: WorkerPort;
  readonly #overflow: Overflow;
  readonly #pace: HandoverPace;
  readonly #log: Logger;
  #awayUntil = 0;

  constructor(port: WorkerPort, overflow: Overflow, pace: HandoverPace, log: Logger) {
    this.#port = port;
    this.#overflow = overflow;
    this.#pace = pace;
    this.#log = log;
  }

  /** Whether the database has just refused logs. */
  get isAway(): boolean {
    return performance.now() < this.#awayUntil;
  }

  add(draft: ExchangeDraft): void {
    this.#buffer.add(draft);
  }

  /**
   * Resolves when a kill of the process does not lose the draft any more, or the disk has refused it. What comes in one turn of the
   * event loop is sealed and written at once: each alone took a third of the requests/s of a relay.
   */
  keep(draft: ExchangeDraft): Promise<void> {
    this.#toKeep.add(draft);
    this.#keeping ??= new Promise((resolve) =>
      setImmediate(() => {
        this.#keeping = null;
        this.#toKeep.flush();
        resolve();
      }),
    );
    return this.#keeping;
  }

  /** Everything that was added or kept is on its way from now on. */
  flush(): void {
    this.#buffer.flush();
    this.#toKeep.flush();
    this.#handOverKept();
  }

  beat(): void {
    this.#buffer.flush();
    if (this.#overflow.keptAge >= KEPT_MS) this.#handOverKept();
    this.#goOn();
  }

  #goOn(): void {
    this.updateCounters();
    this.#handOverFile().catch((error: unknown) =>
      this.#log.warn({ error }, 'Request logs on disk cannot be handed over now.'),
    );
  }

  updateCounters(): void {
    this.counters.waiting =
      this.#buffer.drafts + this.#toKeep.drafts + this.#underWay.drafts + this.#overflow.drafts;
    this.counters.spooled = this.#overflow.spooled;
  }

  /** The thread is done with works: each of their logs is in the database, or lost. */
  done({ worked, written, lost, isDamaged }: WorkDone): void {
    const works = worked.flatMap((number) => this.#underWay.end(number) ?? []);
    this.counters.written += written;
    const given = works.reduce((sum, { drafts }) => sum + (drafts ?? 0), 0);
    this.lose(isDamaged && given > 0 ? given - written : lost);
    this.#overflow.tidySoon();
    this.#buffer.flush();
    this.#goOn();
  }

  /** The database does not take works now: what was in memory goes to disk, where files are still. */
  refused({ refused, chunks, wasAsked }: WorkRefused): void {
    if (wasAsked) this.#awayUntil = performance.now() + AWAY_MS;
    for (const [index, number] of refused.entries()) {
      const work = this.#underWay.end(number);
      const bytes = chunks[index];
      if (work?.file) this.#overflow.giveBack(work.file);
      if (!work || !bytes) continue;
      const chunk = { bytes, drafts: work.drafts ?? 0 };
      if (!this.#overflow.append(chunk)) this.#loseChunk(chunk);
    }
  }

  /** Takes back what the thread has not answered for: files are still on disk; drafts in memory are lost. Answers their number. */
  takeBack(): number {
    let lost = 0;
    for (const { file, drafts } of this.#underWay.endAll()) {
      if (file) this.#overflow.giveBackFailed(file);
      else lost += drafts ?? 0;
    }
    this.lose(lost);
    return lost;
  }

  threadEnded(code: number): void {
    const lost = this.takeBack();
    this.#log.error({ code, records: lost }, 'The request log thread ended; starting another.');
  }

  lose(drafts: number): void {
    this.counters.dropped += drafts;
  }

  #keepChunk(chunk: Chunk): void {
    if (!this.#overflow.keep(chunk)) this.#handOver(chunk);
  }

  #hasRoom({ bytes }: Chunk): boolean {
    return this.#port.takesWork && this.#underWay.hasRoom(bytes.length);
  }

  #handOver(chunk: Chunk): void {
    // In the order in which they came: no chunk overtakes another that waits on disk. While the database is away the thread
    // tells metrics and spans of each, and gives it back.
    const isNext = this.#overflow.isEmpty || this.isAway;
    if (isNext && this.#hasRoom(chunk) && !this.#pace.isBusy) this.#give(chunk);
    else if (this.#overflow.append(chunk)) return;
    else if (this.#hasRoom(chunk) && !this.isAway) this.#give(chunk);
    else this.#loseChunk(chunk);
  }

  /** Chunks that were kept come in their file, which goes once they are in the database. */
  #handOverKept(): void {
    const isNext = this.#overflow.isEmpty && this.#port.takesWork && !this.isAway && !this.#pace.isBusy;
    const file = isNext ? this.#overflow.takeKept() : null;
    if (file) this.#giveFile(file);
    else this.#overflow.putKept();
  }

  #giveFile(file: OverflowFile): void {
    const { path, bytes, drafts } = file;
    this.#port.post({ work: this.#underWay.begin({ bytes, drafts, file }), path });
  }

  #loseChunk({ drafts }: Chunk): void {
    this.lose(drafts);
    this.#log.error({ records: drafts }, 'Request logs were lost: neither database nor disk took them.');
  }

  #give(chunk: Chunk): void {
    // A copy, whose memory goes along.
    const bytes = new Uint8Array(chunk.bytes);
    const work = this.#underWay.begin({ bytes: bytes.length, drafts: chunk.drafts, file: null });
    this.#port.post({ work, bytes, isAway: this.isAway }, [bytes.buffer]);
  }

  /** The next file from the disk, once the thread has nothing to do. */
  async #handOverFile(): Promise<void> {
    if (!this.#port.takesWork || this.isAway || this.#pace.shallWait(this.#overflow)) return;
    if (this.#overflow.isEmpty || this.#underWay.bytes > 0) return;
    const file = await this.#overflow.take();
    if (!file) this.#giveRefused();
    else if (!this.#port.takesWork) this.#overflow.giveBack(file);
    else this.#giveFile(file);
  }

  /** A disk that takes nothing must not keep from the database what the database would take. */
  #giveRefused(): void {
    if (!this.#port.takesWork || this.#underWay.bytes > 0) return;
    const chunk = this.#overflow.takeRefused();
    if (chunk) this.#give(chunk);
  }
}
