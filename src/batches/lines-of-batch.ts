import { setTimeout as pause } from 'node:timers/promises';
import type { BatchDocument, BatchLineDocument } from './batch.ts';
import { noTokens, tokensSum } from './batch.ts';
import { callHeaders } from './caller.ts';
import type { BatchDeps } from './deps.ts';
import { requestsIn } from './input.ts';
import { runLine } from './line.ts';
import type { BatchSlots } from './slots.ts';

/** Milliseconds between two looks at what became of a batch elsewhere, at which its counts are written as well. */
const LOOK_MS = 1000;
/** How long calls under way may go on once their batch is cancelled or out of time, in milliseconds. */
const GRACE_MS = 600_000;

/** Why no further line is begun. */
export type LinesEnd = 'done' | 'cancelled' | 'expired';

/** Makes the calls of all lines that have no result yet, until they are done or the batch is to end. Rejects when `signal` ends it. */
export class LinesOfBatch {
  readonly #deps: BatchDeps;
  readonly #batch: BatchDocument;
  readonly #slots: BatchSlots;
  readonly #done = new Set<number>();
  #counts: BatchDocument['counts'];
  #tokens = noTokens;
  #end: LinesEnd = 'done';
  #failure: unknown = null;

  constructor(deps: BatchDeps, batch: BatchDocument, slots: BatchSlots) {
    this.#deps = deps;
    this.#batch = batch;
    this.#slots = slots;
    this.#counts = { ...batch.counts, completed: 0, failed: 0 };
  }

  async run(content: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<LinesEnd> {
    await this.#resume();
    const watching = new AbortController();
    const giveUp = new AbortController();
    const calls = AbortSignal.any([signal, giveUp.signal]);
    const watch = this.#watch(AbortSignal.any([signal, watching.signal]), giveUp);
    const open = new Set<Promise<void>>();
    try {
      for await (const request of requestsIn(this.#batch.endpoint, content)) {
        if (this.#done.has(request.index)) continue;
        const release = await this.#slots.take(this.#batch.workspaceId);
        if (this.#mustStop(signal)) {
          release();
          break;
        }
        const line: Promise<void> = this.#line(request, calls)
          .catch((error: unknown) => {
            this.#failure ??= error;
          })
          .finally(() => {
            open.delete(line);
            release();
          });
        open.add(line);
      }
      await Promise.all(open);
    } finally {
      watching.abort();
      await Promise.all([watch, ...open]);
    }
    signal.throwIfAborted();
    if (this.#failure !== null && !giveUp.signal.aborted) throw this.#failure;
    await this.#writeCounts();
    return this.#end;
  }

  #mustStop(signal: AbortSignal): boolean {
    if (this.#deps.now() >= this.#batch.expiresAt && this.#end === 'done') this.#end = 'expired';
    return signal.aborted || this.#end !== 'done' || this.#failure !== null;
  }

  /** What processes before this one have finished is not done again. */
  async #resume(): Promise<void> {
    const found = this.#deps.lines().find({ batchId: this.#batch._id }, { projection: { row: 0 } });
    for await (const line of found) this.#note(line);
  }

  #note({ index, isFailed, tokens }: Pick<BatchLineDocument, 'index' | 'isFailed' | 'tokens'>): void {
    this.#done.add(index);
    if (isFailed) this.#counts.failed++;
    else this.#counts.completed++;
    this.#tokens = tokensSum(this.#tokens, tokens);
  }

  async #line(request: Parameters<typeof runLine>[1]['request'], signal: AbortSignal): Promise<void> {
    const { dataplane, secrets, lines } = this.#deps;
    const { _id: batchId, organisationId, workspaceId } = this.#batch;
    const headers = callHeaders(secrets, this.#batch, request.customId);
    const outcome = await runLine(dataplane, { batch: this.#batch, request, headers }, signal);
    const { index } = request;
    const line: BatchLineDocument = {
      ...{ _id: `${batchId}/${index}`, batchId, organisationId, workspaceId, index },
      ...outcome,
    };
    // A process that was taken for dead may have finished it as well: the first result stays.
    const { upsertedCount } = await lines().updateOne(
      { _id: line._id },
      { $setOnInsert: line },
      { upsert: true },
    );
    if (upsertedCount > 0) this.#note(line);
    else this.#done.add(index);
  }

  async #writeCounts(): Promise<BatchDocument | null> {
    return this.#deps
      .batches()
      .findOneAndUpdate(
        { _id: this.#batch._id, active: true },
        { $set: { counts: this.#counts, tokens: this.#tokens } },
        { returnDocument: 'after' },
      );
  }

  async #watch(signal: AbortSignal, giveUp: AbortController): Promise<void> {
    let stoppedAt: number | null = null;
    while (!signal.aborted) {
      await pause(LOOK_MS, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      await this.#look().catch((error: unknown) =>
        this.#deps.log.warn(
          { error, batchId: this.#batch._id },
          'A batch could not be looked at; it goes on.',
        ),
      );
      if (this.#mustStop(signal)) stoppedAt ??= performance.now();
      if (stoppedAt !== null && performance.now() - stoppedAt > GRACE_MS) giveUp.abort();
    }
  }

  async #look(): Promise<void> {
    const now = await this.#writeCounts();
    if (now === null || now.status === 'cancelling') this.cancel();
  }

  /** No further line is begun. */
  cancel(): void {
    this.#end = 'cancelled';
  }
}
