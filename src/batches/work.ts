import type { StoredContent } from '../storage/contents/index.ts';
import { type BatchDocument, type BatchProblem, type BatchStatus, MAX_INPUT_BYTES } from './batch.ts';
import type { BatchDeps } from './deps.ts';
import { checkInput, requestsIn } from './input.ts';
import { rowWithout } from './line.ts';
import { type LinesEnd, LinesOfBatch } from './lines-of-batch.ts';
import type { BatchSlots } from './slots.ts';

/** Brings a batch as far as it gets: checks the input, makes the calls, writes the files. Rejects when `signal` ends it. */
export async function workOn(
  deps: BatchDeps,
  batchId: string,
  { slots, signal, onLines }: { slots: BatchSlots; signal: AbortSignal; onLines(lines: LinesOfBatch): void },
): Promise<void> {
  const found = await deps.batches().findOne({ _id: batchId, active: true });
  if (!found) return;
  const input = await inputOf(deps, found);
  if (!('content' in input)) {
    await change(deps, found, { status: 'failed', failedAt: deps.now(), problems: [input.problem] }, 'end');
    return;
  }
  const checked = await checkedBatch(deps, found, input.content);
  if (!checked) return;
  const lines = new LinesOfBatch(deps, checked, slots);
  onLines(lines);
  if (checked.cancellingAt !== null) lines.cancel();
  const reached = await lines.run(input.content.read(), signal);
  const batch = await change(deps, checked, { status: 'finalizing', finalizingAt: deps.now() });
  if (!batch) return;
  // Whoever was told that it is cancelled finds it so, also where the last line was just done.
  const end = batch.cancellingAt === null ? reached : 'cancelled';
  await finish(deps, { batch, end, content: input.content, signal });
}

type Input = { content: StoredContent } | { problem: BatchProblem };

async function inputOf({ files }: BatchDeps, batch: BatchDocument): Promise<Input> {
  const file = await files.find(batch, batch.inputFileId);
  const content = file && (await files.open(file));
  const problemOf = (code: string, message: string) => ({
    problem: { code, message, param: 'input_file_id', line: null },
  });
  if (!content) return problemOf('file_not_found', 'The input file is gone.');
  if (content.bytes <= MAX_INPUT_BYTES) return { content };
  return problemOf('file_too_large', `The input file has more than ${MAX_INPUT_BYTES} bytes.`);
}

/** The batch with its lines counted; null where it has ended by what is wrong with them. */
async function checkedBatch(
  deps: BatchDeps,
  batch: BatchDocument,
  content: StoredContent,
): Promise<BatchDocument | null> {
  // One that is cancelled this early has no lines that could be counted.
  if (batch.status !== 'validating') return batch;
  const { total, problems } = await checkInput(batch.endpoint, content.read());
  const now = deps.now();
  if (problems.length === 0) {
    const counts = { total, completed: 0, failed: 0 };
    const begun = await deps
      .batches()
      .findOneAndUpdate(
        { _id: batch._id, active: true, status: 'validating' },
        { $set: { status: 'in_progress', inProgressAt: now, counts } },
        { returnDocument: 'after' },
      );
    // It may have been cancelled meanwhile.
    return begun ?? change(deps, batch, { counts });
  }
  await change(deps, batch, { status: 'failed', failedAt: now, problems }, 'end');
  return null;
}

type Finish = { batch: BatchDocument; end: LinesEnd; content: StoredContent; signal: AbortSignal };

const ends: Record<LinesEnd, { status: BatchStatus; at: 'completedAt' | 'cancelledAt' | 'expiredAt' }> = {
  done: { status: 'completed', at: 'completedAt' },
  cancelled: { status: 'cancelled', at: 'cancelledAt' },
  expired: { status: 'expired', at: 'expiredAt' },
};

async function finish(deps: BatchDeps, { batch, end, content, signal }: Finish): Promise<void> {
  const results = new Results(deps, batch, signal);
  const outputFileId = batch.outputFileId ?? (await results.store('output', results.rows(false)));
  const errors = end === 'expired' ? results.rowsWithout(content) : results.rows(true);
  const errorFileId = batch.errorFileId ?? (await results.store('error', errors));
  const { status, at } = ends[end];
  await change(deps, batch, { status, [at]: deps.now(), outputFileId, errorFileId }, 'end');
  await deps.lines().deleteMany({ batchId: batch._id });
}

/** What became of the lines of a batch, as files. */
class Results {
  readonly #deps: BatchDeps;
  readonly #batch: BatchDocument;
  readonly #signal: AbortSignal;

  constructor(deps: BatchDeps, batch: BatchDocument, signal: AbortSignal) {
    this.#deps = deps;
    this.#batch = batch;
    this.#signal = signal;
  }

  async *rows(isFailed: boolean): AsyncGenerator<Buffer> {
    const found = this.#deps.lines().find({ batchId: this.#batch._id, isFailed }).sort({ index: 1 });
    for await (const { row } of found) yield Buffer.from(`${row}\n`);
  }

  /** The lines that failed, and behind them those that were never begun. */
  async *rowsWithout(content: StoredContent): AsyncGenerator<Buffer> {
    yield* this.rows(true);
    const { _id: batchId, endpoint } = this.#batch;
    const begun = new Set<number>();
    for await (const { index } of this.#deps.lines().find({ batchId }, { projection: { index: 1 } }))
      begun.add(index);
    for await (const request of requestsIn(endpoint, content.read()))
      if (!begun.has(request.index)) yield Buffer.from(`${rowWithout(batchId, request)}\n`);
  }

  /** Stores rows as a file, which is written down at once; null where there are none. */
  async store(kind: 'output' | 'error', rows: AsyncGenerator<Buffer>): Promise<string | null> {
    const first = await rows.next();
    if (first.done) return null;
    const { _id, createdBy, outputLastsSeconds: lasts } = this.#batch;
    const { organisationId, workspaceId } = this.#batch;
    const createdAt = this.#deps.now();
    const given: Parameters<BatchDeps['files']['store']>[0] = {
      owner: { organisationId, workspaceId },
      filename: `${_id}_${kind}.jsonl`,
      purpose: 'batch_output',
      createdBy,
      createdAt,
      expiresAt: lasts === null ? null : new Date(createdAt.getTime() + lasts * 1000),
    };
    async function* all() {
      yield first.value as Buffer;
      yield* rows;
    }
    const { _id: fileId } = await this.#deps.files.store(given, all(), this.#signal);
    await change(
      this.#deps,
      this.#batch,
      kind === 'output' ? { outputFileId: fileId } : { errorFileId: fileId },
    );
    return fileId;
  }
}

/**
 * Changes a batch that has not ended; null where it has, or is gone. A cancellation that came meanwhile is kept until
 * the batch ends.
 */
async function change(
  { batches }: BatchDeps,
  { _id }: BatchDocument,
  set: Partial<BatchDocument>,
  ending?: 'end',
): Promise<BatchDocument | null> {
  return batches().findOneAndUpdate(
    { _id, active: true },
    { $set: set, ...(ending && { $unset: { active: '', sealedCaller: '' } }) },
    { returnDocument: 'after' },
  );
}
