import { hash } from 'node:crypto';
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { askInProcess } from '../dataplane/in-process.ts';
import type { Dataplane } from '../dataplane/index.ts';
import type { BatchDocument, BatchLineDocument, BatchTokens } from './batch.ts';
import { noTokens } from './batch.ts';
import type { BatchRequest } from './input.ts';

/** Bytes of an answer that is kept: it has to fit into a document. */
const MAX_ANSWER = 12 * 1024 * 1024;
/** How often a line is tried again that met a rate limit, or a service that is busy. */
const RETRIES = 3;
/** The longest wait between two tries, in milliseconds. */
const LONGEST_WAIT_MS = 60_000;

type Asked = { status: number; headers: OutgoingHttpHeaders; text: string | null };
type Outcome = Pick<BatchLineDocument, 'isFailed' | 'row' | 'tokens'>;

/** Makes the call of a line as its caller would. Rejects where `signal` ends it: then nothing is known of it. */
export async function runLine(
  dataplane: Dataplane,
  {
    batch,
    request,
    headers,
  }: { batch: BatchDocument; request: BatchRequest & { index: number }; headers: IncomingHttpHeaders },
  signal: AbortSignal,
): Promise<Outcome> {
  const call = {
    headers,
    path: batch.endpoint.slice('/v1'.length),
    body: Buffer.from(JSON.stringify(request.body)),
  };
  for (let tries = 0; ; tries++) {
    const asked = await ask(dataplane, call, signal);
    if (!isBusy(asked) || tries === RETRIES) return outcomeOf(batch, request, asked);
    await pause(waitAfter(asked, tries), undefined, { signal });
  }
}

async function ask(
  dataplane: Dataplane,
  call: Parameters<typeof askInProcess>[1],
  signal: AbortSignal,
): Promise<Asked> {
  const answer = await askInProcess(dataplane, call, signal);
  const { status, headers } = answer;
  const pieces: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const piece of answer.body) {
      bytes += piece.length;
      if (bytes <= MAX_ANSWER) pieces.push(piece);
    }
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof Error)) throw error;
    return { status, headers, text: null };
  }
  // A call that was hung up ends as if its answer were over.
  signal.throwIfAborted();
  return { status, headers, text: bytes > MAX_ANSWER ? null : Buffer.concat(pieces).toString('utf8') };
}

const isBusy = ({ status }: Asked): boolean => status === 429 || status === 503;

function waitAfter({ headers }: Asked, tries: number): number {
  const seconds = Number(headers['retry-after']);
  const wanted = Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : 1000 * 2 ** tries;
  return Math.min(wanted, LONGEST_WAIT_MS);
}

function outcomeOf(batch: BatchDocument, request: BatchRequest & { index: number }, asked: Asked): Outcome {
  const body = asked.text === null ? undefined : jsonIn(asked.text);
  const isFailed = body === undefined || asked.status < 200 || asked.status >= 300;
  const requestId = asked.headers['x-request-id'];
  const row = {
    id: requestIdOf(batch._id, request.index),
    custom_id: request.customId,
    response: body === undefined ? null : { status_code: asked.status, request_id: requestId ?? null, body },
    error: body === undefined ? unreadable : null,
  };
  return { isFailed, row: JSON.stringify(row), tokens: isFailed ? noTokens : tokensIn(body) };
}

const unreadable = {
  code: 'unreadable_answer',
  message: 'The answer broke off, is no JSON, or is too large to be kept.',
};

/** The row of a line that was never begun. */
export const rowWithout = (
  batchId: string,
  { customId, index }: { customId: string; index: number },
): string =>
  JSON.stringify({
    id: requestIdOf(batchId, index),
    custom_id: customId,
    response: null,
    error: {
      code: 'batch_expired',
      message: 'This request could not be executed before the completion window expired.',
    },
  });

const requestIdOf = (batchId: string, index: number): string =>
  `batch_req_${hash('sha256', `${batchId} ${index}`).slice(0, 32)}`;

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

type Usage = Partial<Record<string, unknown>>;
const count = (value: unknown): number => (typeof value === 'number' && value >= 0 ? value : 0);
const inside = (value: unknown, name: string): number => count((value as Usage | null | undefined)?.[name]);

/** The tokens that an answer names, in the words of either API. */
function tokensIn(body: unknown): BatchTokens {
  const usage = ((body as { usage?: unknown } | null)?.usage ?? {}) as Usage;
  return {
    input: count(usage.input_tokens ?? usage.prompt_tokens),
    output: count(usage.output_tokens ?? usage.completion_tokens),
    cached: inside(usage.input_tokens_details ?? usage.prompt_tokens_details, 'cached_tokens'),
    reasoning: inside(usage.output_tokens_details ?? usage.completion_tokens_details, 'reasoning_tokens'),
  };
}
