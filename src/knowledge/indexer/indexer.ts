import { randomUUID } from 'node:crypto';
import type { VectorStoreFileDocument } from '../documents.ts';
import { claim, end, giveBack, renew } from './claims.ts';
import { type IndexingDeps, indexFile } from './index-file.ts';

/** What processes tell each other. */
const KIND = 'vector_store_file';
/** Files that one process works on at a time. */
const SLOTS = 2;
/** Milliseconds between two looks for files that wait. */
const LOOK_MS = 500;
const RENEWAL_MS = 3000;
/** Milliseconds after which a file is tried again, times the tries so far. */
const PAUSE_MS = 2000;
/** Tries after which a file fails. */
const MOST_TRIES = 3;
/** Processes that may have had a file and died: beyond them it is the file that ends them. */
const MOST_CLAIMS = 10;

export type Indexer = ReturnType<typeof createIndexer>;

/**
 * Works on the files that wait, beside the same in other processes. It looks for them once it has heard of some, and for as long
 * as there are any: a process that has one may die.
 */
export function createIndexer(deps: IndexingDeps) {
  const { files, stores, store: segments, changes, now, log } = deps;
  const me = randomUUID();
  const stopping = new AbortController();
  const working = new Map<string, Promise<void>>();
  /** The workspaces that are served here now: those of others come first. */
  const served = new Map<string, string>();
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | null = null;

  async function look(): Promise<void> {
    clearTimeout(timer);
    if (!(await files().findOne({ status: 'in_progress' }, { projection: { _id: 1 } }))) return;
    timer = setTimeout(wake, LOOK_MS).unref();
    await claimSome();
  }

  async function claimSome(): Promise<void> {
    while (working.size < SLOTS && !stopping.signal.aborted) {
      const busy = [...served.values()];
      const claimed =
        (busy.length > 0 && (await claim(files, { me, now: now(), notOf: busy }))) ||
        (await claim(files, { me, now: now(), notOf: [] }));
      if (!claimed) return;
      begin(claimed);
    }
  }

  function begin(file: VectorStoreFileDocument): void {
    const place = `${file._id} ${file.fence}`;
    served.set(place, file.workspaceId);
    const done = work(file)
      .catch((error: unknown) =>
        log.warn({ error, file: file.fileId }, 'A file could not be put into its vector store yet.'),
      )
      .then(() => {
        working.delete(place);
        served.delete(place);
        wake();
      });
    working.set(place, done);
  }

  async function work(file: VectorStoreFileDocument): Promise<void> {
    const lost = new AbortController();
    const signal = AbortSignal.any([lost.signal, stopping.signal]);
    const renewal = setInterval(() => void keep(file, lost), RENEWAL_MS);
    try {
      if (file.attempt > MOST_CLAIMS) await fail(file);
      else await finish(file, await indexFile(deps, file, signal));
    } catch (error) {
      await segments.drop(file, file.fence);
      if (lost.signal.aborted) return;
      if (stopping.signal.aborted) await giveBack(files, file, { at: now(), isTried: false });
      else await retry(file, error);
    } finally {
      clearInterval(renewal);
    }
  }

  async function keep(file: VectorStoreFileDocument, lost: AbortController): Promise<void> {
    try {
      if (!(await renew(files, file, now()))) lost.abort();
    } catch (error) {
      log.warn({ error, file: file.fileId }, 'The claim on a file of a vector store could not be renewed.');
    }
  }

  /** The segments stay before the file ends: one that has ended has them for good. */
  async function finish(
    file: VectorStoreFileDocument,
    outcome: Awaited<ReturnType<typeof indexFile>>,
  ): Promise<void> {
    if (outcome.status === 'completed') await segments.keep(file, outcome.generation);
    if (!(await end(files, file, { ...outcome, now: now() }))) {
      await segments.drop(file, file.fence);
      return;
    }
    if (outcome.status === 'completed') await segments.dropOthers(file, outcome.generation);
    await stores().updateOne({ _id: file.storeId }, { $inc: { revision: 1 } });
  }

  async function retry(file: VectorStoreFileDocument, error: unknown): Promise<void> {
    if (file.attempt < MOST_TRIES) {
      await giveBack(files, file, { at: new Date(now().getTime() + PAUSE_MS * file.attempt), isTried: true });
      throw error;
    }
    log.error({ error, file: file.fileId }, 'A file could not be put into its vector store.');
    await fail(file);
  }

  const fail = (file: VectorStoreFileDocument): Promise<void> =>
    finish(file, {
      status: 'failed',
      lastError: {
        code: 'server_error',
        message: 'The file could not be processed. Attach it again to try once more.',
      },
    });

  function wake(): void {
    if (stopping.signal.aborted) return;
    looking ??= look()
      .catch((error: unknown) => {
        log.warn({ error }, 'Files of vector stores could not be looked for; it is tried again.');
        timer = setTimeout(wake, LOOK_MS).unref();
      })
      .finally(() => {
        looking = null;
      });
  }

  changes.subscribe(async (kind) => {
    if (kind === KIND) wake();
  });

  return {
    /** Tells all processes that files wait. */
    tell: () => changes.publish(KIND),
    /** Begins with the files that are left from before. */
    start: wake,
    /** Gives back what is worked on; another process, or the next start, goes on with it. */
    async stop(): Promise<void> {
      stopping.abort();
      await looking;
      clearTimeout(timer);
      await Promise.all(working.values());
    },
  };
}
