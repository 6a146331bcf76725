import { parentPort, workerData } from 'node:worker_threads';
import { encodeError } from '../bson/encode.ts';
import { runRead } from '../commands/reads.ts';
import { Cursors } from '../cursors.ts';
import { CatalogueView } from '../store/catalogue-view.ts';
import type { Collection } from '../store/collection.ts';
import { Database } from '../store/file/database.ts';
import type { ReadStore } from '../store/read-store.ts';
import { parseMessage } from '../wire.ts';
import {
  ping,
  type ReaderCancel,
  type ReaderData,
  type ReaderJob,
  type ReaderPulse,
  type ReaderReply,
} from './messages.ts';

/** A reader thread's whole life: it opens the file for reading and answers the commands it is sent. */
class ReaderCatalogue extends CatalogueView {
  #version = 0;

  /** Reads the catalogue again when the writer has changed it. */
  follow(version: number): void {
    if (version === this.#version) return;
    this.source.snapshot(() => this.load());
    this.#version = version;
  }

  override find(database: string, name: string): Collection | undefined {
    const collection = super.find(database, name);
    if (collection) collection.count = this.storedCount(collection.id);
    return collection;
  }
}

const { path, lane, options } = workerData as ReaderData;
const database = Database.reader(path);
const catalogue = database.snapshot(() => new ReaderCatalogue(database));
const cursors = new Cursors(options.cursorIdleLimit, lane);
const store: ReadStore = { database, catalogue, cursors, readers: null };
const sweep = setInterval(() => cursors.sweep(), options.ttlInterval);

const clients = new Map<number, AbortController>();

async function answer({ id, version, bytes }: ReaderJob): Promise<void> {
  const client = new AbortController();
  clients.set(id, client);
  let failed = false;
  let reply: Buffer;
  try {
    catalogue.follow(version);
    reply = await runRead(store, parseMessage(Buffer.from(bytes.buffer)), client.signal);
  } catch (error) {
    failed = true;
    reply = encodeError(error);
  }
  clients.delete(id);
  const message: ReaderReply = { id, bytes: new Uint8Array(reply), failed };
  parentPort?.postMessage(message, [message.bytes.buffer as ArrayBuffer]);
}

parentPort?.on('message', (message: ReaderJob | ReaderCancel | typeof ping | 'stop') => {
  if (message === 'stop') stop();
  else if (message === ping) parentPort?.postMessage({ cursors: cursors.size } satisfies ReaderPulse);
  else if ('cancelled' in message) clients.get(message.cancelled)?.abort();
  else void answer(message);
});

function stop(): void {
  clearInterval(sweep);
  database.close();
  parentPort?.close();
}
