import { randomUUID } from 'node:crypto';
import type { VectorStoreDocument, VectorStoreFileDocument } from '../documents.ts';
import { createForms } from '../forms/forms.ts';
import { type ChangingStore, claimToPrepare, prepareFile } from '../forms/prepare.ts';
import { ModelGaveNone } from '../models/ask-model.ts';
import { claim, end, giveBack, renew } from './claims.ts';
import { failed, type IndexingDeps, indexFile } from './index-file.ts';

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
/** Milliseconds after which a file is prepared again that could not be: its store is searched as before meanwhile. */
const PREPARING_PAUSE_MS = 5000;
/** Processes that may have had a file and died: beyond them it is the file that ends them. */
const MOST_CLAIMS = 10;

const isChanging = (store: VectorStoreDocument): store is ChangingStore =>
  store.next !== undefined && store.next.failure === undefined;

export type Indexer = ReturnType<typeof createIndexer>;

/**
 * Works on the files that wait, beside the same in other processes. It looks for them once it has heard of some, and for as long
 * as there are any: a process that has one may die.
 */
export function createIndexer(deps: IndexingDeps) {
  const { files, stores, store: segments, changes, now, log } = deps;
  const me = randomUUID();
  const forms = createForms(deps);
  const stopping = new AbortController();
  const working = new Map<string, Promise<void>>();
  /** The workspaces that are served here now: those of others come first. */
  const served = new Map<string, string>();
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | null = null;
  let isToLook = false;

  /** What comes while it is looked for may have been missed: it is looked for once more. */
  async function lookAgain(): Promise<void> {
    while (isToLook && !stopping.signal.aborted) {
      isToLook = false;
      await look();
    }
  }

  async function look(): Promise<void> {
    clearTimeout(timer);
    const waits = await files().findOne({ status: 'in_progress' }, { projection: { _id: 1 } });
    const changing = await forms.changing();
    if (!waits && changing.length === 0) return;
    await claimSome();
    for (const store of changing) await goOn(store);
    timer = setTimeout(wake, LOOK_MS).unref();
  }

  /** One step, or as many files as there is room for, of a store whose embedding changes. */
  async function goOn(store: VectorStoreDocument): Promise<void> {
    if (store.settling) return forms.settle(store);
    if (!isChanging(store)) return;
    while (working.size < SLOTS && !stopping.signal.aborted) {
      const file = await claimToPrepare(files, store, { me, now: now() });
      if (!file) {
        if (await forms.swap(store)) wake();
        return;
      }
      // Asked once the file is claimed: what ends the change from here on takes the claim away.
      if (!(await forms.isWanted(store))) return giveBack(files, file, { at: now(), isTried: true });
      begin(file, (signal) => prepare(store, file, signal));
    }
  }

  async function claimSome(): Promise<void> {
    while (working.size < SLOTS && !stopping.signal.aborted) {
      const busy = [...served.values()];
      const claimed =
        (busy.length > 0 && (await claim(files, { me, now: now(), notOf: busy }))) ||
        (await claim(files, { me, now: now(), notOf: [] }));
      if (!claimed) return;
      begin(claimed, (signal) => work(claimed, signal));
    }
  }

  function begin(file: VectorStoreFileDocument, task: (signal: AbortSignal) => Promise<void>): void {
    const place = `${file._id} ${file.fence}`;
    served.set(place, file.workspaceId);
    const done = whileClaimed(file, task)
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

  /** Does a task for as long as the claim on its file is ours. */
  async function whileClaimed(
    file: VectorStoreFileDocument,
    task: (signal: AbortSignal) => Promise<void>,
  ): Promise<void> {
    const lost = new AbortController();
    const renewal = setInterval(() => void keep(file, lost), RENEWAL_MS);
    try {
      await task(AbortSignal.any([lost.signal, stopping.signal]));
    } catch (error) {
      await dropUncounted(file);
      if (lost.signal.aborted) return;
      if (!stopping.signal.aborted) throw error;
      await giveBack(files, file, { at: now(), isTried: false });
    } finally {
      clearInterval(renewal);
    }
  }

  async function work(file: VectorStoreFileDocument, signal: AbortSignal): Promise<void> {
    try {
      if (file.attempt > MOST_CLAIMS) await fail(file);
      else await finish(file, await indexFile(deps, file, signal));
    } catch (error) {
      if (signal.aborted) throw error;
      await dropUncounted(file);
      await retry(file, error);
    }
  }

  async function prepare(
    store: ChangingStore,
    file: VectorStoreFileDocument,
    signal: AbortSignal,
  ): Promise<void> {
    try {
      await prepareFile(deps, { file, next: store.next }, signal);
    } catch (error) {
      if (signal.aborted) throw error;
      if (error instanceof ModelGaveNone && error.isLasting) await forms.refuse(store, error.message);
      const at = new Date(now().getTime() + PREPARING_PAUSE_MS);
      await giveBack(files, file, { at, isTried: true });
      throw error;
    }
  }

  /** Drops what was written under a claim, unless its last write went through and the file names it: an error may come after that. */
  async function dropUncounted(file: VectorStoreFileDocument): Promise<void> {
    const { _id, fence } = file;
    const now = await files().findOne({ _id }, { projection: { generation: 1, prepared: 1 } });
    if (now?.generation === fence || now?.prepared?.generation === fence) return;
    await segments.drop(file, fence);
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
      await dropUncounted(file);
      return;
    }
    await segments.dropBefore(file, outcome.generation ?? file.fence + 1);
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
    finish(
      file,
      failed('server_error', 'The file could not be processed. Attach it again to try once more.'),
    );

  function wake(): void {
    if (stopping.signal.aborted) return;
    isToLook = true;
    looking ??= lookAgain()
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
