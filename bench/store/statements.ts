import type { Collection } from 'mongodb';
import type { LogDocument } from './documents.ts';
import { byModel } from './groups.ts';

export type Statement = {
  /** How the table calls it. */
  title: string;
  run(logs: Collection<LogDocument>, pass: number): Promise<unknown>;
};

/** The long statements, in the order in which they run; `pass` tells a first run from a second. */
export const statements: Record<string, Statement> = {
  group: { title: 'group-by', run: (logs) => logs.aggregate(byModel).toArray() },
  count: {
    title: 'countDocuments, filter without index',
    run: (logs) => logs.countDocuments({ responseTime: { $gt: 2000 } }),
  },
  export: { title: 'export of all by a cursor', run: readAll },
  updateMany: {
    title: 'updateMany of a tenth, filter without index',
    run: updateTenth,
  },
  upsert: {
    title: 'updateOne with upsert, filter without index, no match',
    run: (logs, pass) =>
      logs.updateOne({ text: `none ${pass}` }, { $set: { logId: `upserted-${pass}` } }, { upsert: true }),
  },
  createIndex: {
    title: 'createIndex',
    run: (logs, pass) => logs.createIndex(pass === 0 ? { aiModel: 1, cost: 1 } : { responseTime: 1 }),
  },
};

/** Documents stay bytes, so that it is the server that is measured and not the reader. */
async function readAll(logs: Collection<LogDocument>): Promise<void> {
  const expected = await logs.estimatedDocumentCount();
  const cursor = logs.find({}, { raw: true });
  let read = 0;
  while (await cursor.hasNext()) read += cursor.readBufferedDocuments().length;
  if (read < expected) throw new Error(`The export had ${read} documents instead of ${expected}.`);
}

async function updateTenth(logs: Collection<LogDocument>, pass: number): Promise<void> {
  const { modifiedCount } = await logs.updateMany({ shard: pass }, { $set: { responseStatusCode: 201 } });
  if (modifiedCount === 0) throw new Error('The update changed nothing.');
}
