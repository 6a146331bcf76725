import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import { Binary, type Collection, type Db } from 'mongodb';
import { inTime } from '../../lib/in-time.ts';
import type { Logger } from '../../lib/logger.ts';
import type { Caching } from './caching.ts';
import { CacheCircuit } from './circuit.ts';
import { CACHE_COLLECTION, type CacheEntry } from './model.ts';
import { type Embedding, similarity, unitVector, vectorBytes } from './vector.ts';

/** Milliseconds that a call waits for the shared tier before it goes on as if there were nothing. */
const PATIENCE = 250;
/** Milliseconds that an answer is served from memory before the shared tier is asked again. */
const MEMORY_AGE = 30_000;
/** Entries of one partition that are compared with a question, the latest first. */
const CANDIDATES = 500;
/** Writes under way; more means that the database is behind, and what comes on top is not kept. */
const MAX_WRITES = 200;

/** `skipped`: questions that were compared with no others while embeddings failed. */
export type CacheCounters = { failures: number; dropped: number; skipped: number };

export type Entries = {
  /** The answer under an id, as JSON text. */
  find(id: string): Promise<string | null>;
  /** The likest answer of a partition, when its likeness is above the threshold. */
  findLike(partition: string, embedding: Embedding, threshold: number): Promise<string | null>;
  /** Keeps an answer; `replace` names the likeness from which others of the partition go. */
  keep(caching: Caching, body: string, embedding: Embedding | null, replaceAbove: number | null): void;
  /** Resolves when everything kept until now is stored. */
  settle(): Promise<void>;
  counters: CacheCounters;
};

/** Stands in memory for an answer that was replaced. */
const GONE = '';

type Candidate = { _id: string; embedding: Embedding };

/** Kept answers: in this process's memory for moments, in the database for all processes. */
export function createEntries(
  db: () => Db,
  options: { memoryBytes: number; now: () => Date; log: Logger },
): Entries {
  const { memoryBytes, now, log } = options;
  const memory = new LRUCache<string, string>({
    maxSize: Math.max(1, memoryBytes),
    sizeCalculation: (body) => body.length * 2 + 200,
    ttl: MEMORY_AGE,
  });
  const partitions = new LRUCache<string, Candidate[]>({ max: 200, ttl: MEMORY_AGE });
  const counters: CacheCounters = { failures: 0, dropped: 0, skipped: 0 };
  const writes = new Set<Promise<void>>();

  const collection = (): Collection<CacheEntry> => db().collection<CacheEntry>(CACHE_COLLECTION);

  const circuit = new CacheCircuit({
    now,
    onFailure(error, opens) {
      counters.failures++;
      if (opens)
        log.warn({ error }, 'The shared cache does not answer; going on without it for ten seconds.');
    },
  });

  /** A question to the database that may fail or be late: then there is nothing. */
  const ask = <T>(question: () => Promise<T>): Promise<T | null> | null =>
    circuit.ask(() => inTime(question(), PATIENCE));

  async function find(id: string): Promise<string | null> {
    const known = memory.get(id);
    if (known !== undefined) return known === GONE ? null : known;
    const entry = await ask(() =>
      collection().findOne({ _id: id, expiresAt: { $gt: new Date() } }, { projection: { body: 1 } }),
    );
    if (!entry) return null;
    const body = zstdDecompressSync(entry.body.buffer).toString('utf8');
    memory.set(id, body);
    return body;
  }

  async function candidatesOf(partition: string): Promise<Candidate[]> {
    const known = partitions.get(partition);
    if (known) return known;
    const entries = await ask(() =>
      collection()
        .find({ partition, expiresAt: { $gt: new Date() } }, { projection: { vector: 1 } })
        .sort({ createdAt: -1 })
        .limit(CANDIDATES)
        .toArray(),
    );
    const candidates = (entries ?? []).flatMap(({ _id, vector }) =>
      vector ? [{ _id, embedding: unitVector(vector.buffer) }] : [],
    );
    if (entries) partitions.set(partition, candidates);
    return candidates;
  }

  async function store(
    { id, organisationId, workspaceId, maxAge, question }: Caching,
    body: string,
    embedding: Embedding | null,
    replaced: string[],
  ): Promise<void> {
    const createdAt = new Date();
    const { _id, ...members }: CacheEntry = {
      _id: id,
      organisationId,
      workspaceId,
      body: new Binary(zstdCompressSync(body, fastest)),
      createdAt,
      expiresAt: new Date(createdAt.getTime() + maxAge * 1000),
      partition: embedding && question ? question.partition : null,
      vector: embedding && new Binary(vectorBytes(embedding)),
    };
    if (replaced.length > 0) await collection().deleteMany({ _id: { $in: replaced } });
    await collection().replaceOne({ _id }, members as CacheEntry, { upsert: true });
  }

  function keep(caching: Caching, body: string, embedding: Embedding | null, replaceAbove: number | null) {
    const { id, question } = caching;
    const replaced: string[] = [];
    if (question && embedding) {
      const known = (partitions.get(question.partition) ?? []).filter((candidate) => {
        const goes = replaceAbove !== null && similarity(candidate.embedding, embedding) > replaceAbove;
        if (goes && candidate._id !== id) replaced.push(candidate._id);
        return !goes && candidate._id !== id;
      });
      partitions.set(question.partition, [{ _id: id, embedding }, ...known].slice(0, CANDIDATES));
    }
    // The database may still have them for a moment.
    for (const gone of replaced) memory.set(gone, GONE);
    memory.set(id, body, { ttl: Math.min(MEMORY_AGE, caching.maxAge * 1000) });
    if (writes.size >= MAX_WRITES) {
      counters.dropped++;
      return;
    }
    const write = store(caching, body, embedding, replaced)
      .catch((error: unknown) => {
        counters.failures++;
        log.warn({ error }, 'An answer could not be kept in the shared cache.');
      })
      .finally(() => writes.delete(write));
    writes.add(write);
  }

  return {
    find,
    async findLike(partition, embedding, threshold) {
      let best: { _id: string; likeness: number } | null = null;
      for (const candidate of await candidatesOf(partition)) {
        const likeness = similarity(candidate.embedding, embedding);
        if (likeness > threshold && likeness > (best?.likeness ?? 0)) best = { _id: candidate._id, likeness };
      }
      return best && find(best._id);
    },
    keep,
    async settle() {
      await Promise.all(writes);
    },
    counters,
  };
}

const fastest = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
