import { wholeFormatOf } from '../../formats/index.ts';
import type { Logger } from '../../lib/logger.ts';
import { type CapturedAnswer, encodingOf } from '../../recording/log/answers/capture.ts';
import type { CacheStatus } from '../../recording/log/record.ts';
import type { Caching } from './caching.ts';
import { CacheCircuit } from './circuit.ts';
import type { Embedder } from './embedder.ts';
import type { CacheCounters, Entries } from './entries.ts';
import { Unpacking } from './unpacking.ts';
import type { Embedding } from './vector.ts';
import { wholeAnswer } from './whole-answer.ts';

export type { Caching } from './caching.ts';

/** What looking came to: an answer to give, or how to keep the one that the provider is to give. */
export type Lookup = {
  status: CacheStatus;
  /** The answer as the caller wants it; null asks the provider. */
  found: { contentType: string; body: Buffer } | null;
  /** Keeps the provider's answer; does nothing for one that is no complete success. */
  keep(status: number, answer: CapturedAnswer): void;
};

export type Cache = {
  lookUp(caching: Caching): Promise<Lookup>;
  /** Seconds: the operator's limit of an answer's age, or none. */
  maxAge: number | null;
  counters: CacheCounters;
  /** Resolves when everything kept until now is stored. */
  stop(): Promise<void>;
};

/** How to keep an answer, once its question's embedding is known. */
type Keeper = (embedding: Embedding | null) => Lookup['keep'];

/** Answers of models by equal and, where the config asks for it, by like questions. */
export function createCache(options: {
  entries: Entries;
  /** Null compares no questions: then a semantic cache is a simple one. */
  embedder: Embedder | null;
  /** Cosine above which two questions count as the same. */
  threshold: number;
  maxAge: number | null;
  now: () => Date;
  log: Logger;
}): Cache {
  const { entries, embedder, threshold, maxAge, now, log } = options;
  const unpacking = new Unpacking(log);

  const { counters } = entries;
  const circuit = new CacheCircuit({
    now,
    onFailure(error, opens) {
      counters.failures++;
      if (opens)
        log.warn(
          { error },
          'Questions cannot be embedded; only equal ones are looked for in the next ten seconds.',
        );
      else log.debug({ error }, 'A question could not be embedded.');
    },
  });

  async function embeddingOf(caching: Caching): Promise<Embedding | null> {
    const { question } = caching;
    if (!question || !embedder) return null;
    const embedding = circuit.ask(() => embedder(question.text, caching));
    if (embedding === null) counters.skipped++;
    return embedding;
  }

  async function refreshed(caching: Caching, keeper: Keeper): Promise<Lookup> {
    const embedding = await embeddingOf(caching);
    // Brings the answers to mind that are to be replaced.
    if (embedding && caching.question)
      await entries.findLike(caching.question.partition, embedding, threshold);
    return { status: 'REFRESH', found: null, keep: keeper(embedding) };
  }

  async function lookUp(caching: Caching): Promise<Lookup> {
    const keeper: Keeper = (embedding) => (status, answer) => {
      if (status < 200 || status > 299) return;
      if (unpacking.isFull && encodingOf(answer.headers) !== null) {
        entries.counters.dropped++;
        return;
      }
      const keepBody = (body: string | null) => {
        if (body !== null) entries.keep(caching, body, embedding, caching.refresh ? threshold : null);
      };
      const body = wholeAnswer(caching.endpoint, answer);
      if (body instanceof Promise) unpacking.add(caching.id, body.then(keepBody));
      else keepBody(body);
    };
    const underWay = unpacking.of(caching.id);
    if (underWay) await underWay;
    if (caching.refresh) return refreshed(caching, keeper);
    const equal = await entries.find(caching.id);
    if (equal !== null) return { status: 'HIT', found: shown(caching, equal), keep: () => undefined };
    const embedding = await embeddingOf(caching);
    if (!embedding || !caching.question) return { status: 'MISS', found: null, keep: keeper(null) };
    const like = await entries.findLike(caching.question.partition, embedding, threshold);
    return like === null
      ? { status: 'SEMANTIC MISS', found: null, keep: keeper(embedding) }
      : { status: 'SEMANTIC HIT', found: shown(caching, like), keep: () => undefined };
  }

  async function stop(): Promise<void> {
    await unpacking.settle();
    await entries.settle();
  }

  return { lookUp, maxAge, counters, stop };
}

/** A kept answer in the form that the caller asked for. */
function shown({ endpoint, stream, withUsage }: Caching, text: string): NonNullable<Lookup['found']> {
  const format = stream ? wholeFormatOf(endpoint) : undefined;
  return format
    ? {
        contentType: 'text/event-stream; charset=utf-8',
        body: Buffer.from(format.replay(JSON.parse(text), { withUsage })),
      }
    : { contentType: 'application/json', body: Buffer.from(text) };
}
