// Loaded into a gateway before its own program (`node --import`). Counts what the gateway asks the database about runs, and at one
// of these operations kills or stops its own process, or lets the operation fail. Every fault point of a run is one of them, so
// that the product's source names none.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mongo } from 'mongoose';
import type { Fault } from './fault-orders.ts';

const directory = process.env.DATA_DIR ?? '';
const ORDER = join(directory, 'fault.json');

/** The collections that a run is written to. */
const watched = new Set(['threads', 'thread_items', 'runs', 'run_events']);
const writes = [
  'insertOne',
  'insertMany',
  'updateOne',
  'updateMany',
  'findOneAndUpdate',
  'deleteOne',
  'deleteMany',
  'bulkWrite',
] as const;

type Call = (...given: unknown[]) => unknown;

let order: Fault | null = null;
let count = 0;

/** The fault that this operation is to meet; null for most. */
function fault(operation: string): Fault | null {
  const given = ordered();
  if (given === null) return null;
  if (given.id !== order?.id) {
    order = given;
    count = 0;
  }
  count++;
  if (count !== given.at) return null;
  writeFileSync(join(directory, `fault-${given.id}`), operation);
  return given;
}

function ordered(): Fault | null {
  try {
    return JSON.parse(readFileSync(ORDER, 'utf8')) as Fault;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

function strike({ kind }: Fault): void {
  if (kind === 'kill') process.kill(process.pid, 'SIGKILL');
  if (kind === 'stop') process.kill(process.pid, 'SIGSTOP');
  if (kind === 'throw') throw new mongo.MongoNetworkError('An error that was ordered.');
}

async function struck(operation: string, work: () => unknown): Promise<unknown> {
  const met = fault(operation);
  if (met?.when === 'before') strike(met);
  const answer = await work();
  if (met?.when === 'after') strike(met);
  return answer;
}

const collection = mongo.Collection.prototype as unknown as Record<string, Call> & {
  collectionName: string;
};

for (const name of writes) {
  const original = collection[name] as Call;
  collection[name] = function (this: typeof collection, ...given) {
    if (!watched.has(this.collectionName)) return original.apply(this, given);
    return struck(`${name} ${this.collectionName}`, () => original.apply(this, given));
  };
}

// One command may write to several collections.
const client = mongo.MongoClient.prototype as unknown as Record<'bulkWrite', Call>;
const bulkWrite = client.bulkWrite;
client.bulkWrite = function (this: typeof client, ...given) {
  const models = given[0] as { namespace: string }[];
  const names = new Set(models.map(({ namespace }) => namespace.slice(namespace.indexOf('.') + 1)));
  if (![...names].some((name) => watched.has(name))) return bulkWrite.apply(this, given);
  return struck(`bulkWrite ${[...names].join(' ')}`, () => bulkWrite.apply(this, given));
};

// What a turn reads; other reads come by the clock, or repeat nothing that was written.
const find = collection.find as Call;
collection.find = function (this: typeof collection, ...given) {
  const cursor = find.apply(this, given) as { toArray: Call };
  if (this.collectionName !== 'thread_items') return cursor;
  const toArray = cursor.toArray.bind(cursor);
  cursor.toArray = () => struck('find thread_items', toArray);
  return cursor;
};
