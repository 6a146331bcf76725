import type { Logger } from '../../../lib/logger.ts';
import { type Chunk, DraftBuffer } from '../codec/draft-codec.ts';
import type { ExchangeDraft } from '../draft.ts';
import type { Overflow } from '../overflow/overflow.ts';
import { LogCounters } from './log-counters.ts';
import type { WorkDone } from './messages.ts';
import type { HandoverPace } from './pace.ts';
import { UnderWay } from './under-way.ts';
import type { WorkerPort } from './worker-port.ts';

/** Bytes that may be under way to the thread; what comes on top waits on disk. */
const UNDER_WAY_BYTES = 2 * 1024 * 1024;

/**
 * Decides where each draft is: in the buffer, under way to the thread, or in the overflow. A draft leaves one of them only
 * for another, or is counted as written or lost.
 */
export class HandOver {
  readonly #buffer = new DraftBuffer((chunk) => this.#handOver(chunk));
  readonly #underWay = new UnderWay();
  readonly #counters = new LogCounters();
  readonly #port: WorkerPort;
  readonly #overflow: Overflow;
  readonly #pace: HandoverPace;
  readonly #log: Logger;

  constructor(port: WorkerPort, overflow: Overflow, pace: HandoverPace, log: Logger) {
    this.#port = port;
    this.#overflow = overflow;
    this.#pace = pace;
    this.#log = log;
  }

  get counters() {
    return this.#counters.sums;
  }

  add(draft: ExchangeDraft): void {
    this.#buffer.add(draft);
  }

  flush(): void {
    this.#buffer.flush();
  }

  beat(): void {
    this.flush();
    this.updateCounters();
    this.#handOverFile().catch((error: unknown) =>
      this.#log.warn({ error }, 'Request logs on disk cannot be handed over now.'),
    );
  }

  updateCounters(): void {
    this.#counters.update(this.#buffer.drafts + this.#underWay.drafts + this.#overflow.drafts);
  }

  /** The thread has answered for a work: each of its logs is in the database or in the spool, or counted as lost. */
  done({ worked, drafts, counters }: WorkDone): void {
    const work = this.#underWay.end(worked);
    // Fewer than were handed over: a piece of the file could not be read.
    this.lose(Math.max(0, (work?.drafts ?? 0) - drafts));
    if (work?.file) this.#overflow.done(work.file);
    this.#counters.tell(counters);
    this.beat();
  }

  /** Takes back what the thread has not answered for: files are still on disk; drafts in memory are lost. Answers their number. */
  takeBack(): number {
    let lost = 0;
    for (const { file, drafts } of this.#underWay.endAll()) {
      if (file) this.#overflow.giveBack(file);
      else lost += drafts ?? 0;
    }
    this.lose(lost);
    return lost;
  }

  threadEnded(code: number): void {
    const lost = this.takeBack();
    this.#counters.threadEnded();
    this.#log.error({ code, records: lost }, 'The request log thread ended; starting another.');
    this.updateCounters();
  }

  lose(drafts: number): void {
    this.#counters.dropped += drafts;
  }

  #hasRoom({ bytes }: Chunk): boolean {
    return this.#port.takesWork && this.#underWay.bytes + bytes.length <= UNDER_WAY_BYTES;
  }

  #handOver(chunk: Chunk): void {
    // In the order in which they came: no chunk overtakes another that waits on disk.
    if (this.#hasRoom(chunk) && !this.#pace.isBusy && this.#overflow.isEmpty) this.#give(chunk);
    else if (!this.#overflow.append(chunk)) this.#giveOrLose(chunk);
  }

  #giveOrLose(chunk: Chunk): void {
    if (this.#hasRoom(chunk)) {
      this.#give(chunk);
      return;
    }
    this.lose(chunk.drafts);
    this.#log.error(
      { records: chunk.drafts },
      'Request logs were lost: neither the thread nor the disk took them.',
    );
  }

  #give(chunk: Chunk): void {
    // A copy, whose memory goes along.
    const bytes = new Uint8Array(chunk.bytes);
    const work = this.#underWay.begin({ bytes: bytes.length, drafts: chunk.drafts, file: null });
    this.#port.post({ work, bytes }, [bytes.buffer]);
  }

  /** The next file from the disk, once the thread has nothing to do. */
  async #handOverFile(): Promise<void> {
    if (!this.#port.takesWork || this.#pace.shallWait(this.#overflow)) return;
    if (this.#overflow.isEmpty || this.#underWay.bytes > 0) return;
    const file = await this.#overflow.take();
    if (!file) {
      this.#giveRefused();
      return;
    }
    if (!this.#port.takesWork) {
      this.#overflow.giveBack(file);
      return;
    }
    const work = this.#underWay.begin({ bytes: file.bytes, drafts: file.drafts, file });
    this.#port.post({ work, path: file.path });
  }

  /** A disk that takes nothing must not keep from the database what the database would take. */
  #giveRefused(): void {
    if (!this.#port.takesWork || this.#underWay.bytes > 0) return;
    const chunk = this.#overflow.takeRefused();
    if (chunk) this.#give(chunk);
  }
}
