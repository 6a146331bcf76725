import { type Collection, type Document, MongoClient } from 'mongodb';
import type { Sent } from './trace.ts';

const writeCommands = new Set(
  'insert update delete findAndModify bulkWrite create createIndexes collMod dropIndexes drop renameCollection dropDatabase aggregate'.split(
    ' ',
  ),
);

/** Every kind of write; each has something to do when it runs after the ones before it. */
function everyWrite(client: MongoClient, name: string): (() => Promise<unknown>)[] {
  const db = client.db();
  const items: Collection<Document> = db.collection(name);
  return [
    () => db.createCollection(name),
    () => items.insertOne({ n: 0 }),
    () => items.insertMany(Array.from({ length: 2500 }, (_, n) => ({ n: n + 1, text: 'x'.repeat(200) }))),
    () => items.createIndex({ n: 1 }, { unique: true }),
    () => items.createIndex({ at: 1 }, { expireAfterSeconds: 1000 }),
    () => db.command({ collMod: name, index: { name: 'at_1', expireAfterSeconds: 2000 } }),
    () => items.updateOne({ n: 1 }, { $inc: { hits: 1 } }),
    () => items.updateOne({ n: -1 }, { $set: { made: true } }, { upsert: true }),
    () => items.replaceOne({ n: 2 }, { n: 2, replaced: true }),
    () => items.updateMany({}, { $set: { seen: true } }),
    () => items.findOneAndUpdate({ n: 3 }, { $inc: { hits: 1 } }),
    () => items.findOneAndReplace({ n: 4 }, { n: 4, replaced: true }),
    () => items.findOneAndDelete({ n: 5 }),
    () => items.deleteOne({ n: 6 }),
    () => items.deleteMany({ n: { $gt: 2000 } }),
    () => items.bulkWrite([{ insertOne: { document: { n: 9001 } } }]),
    () =>
      client.bulkWrite([
        { name: 'insertOne', namespace: items.namespace, document: { n: 9002 } as Document },
      ]),
    () => items.aggregate([{ $match: { n: 1 } }, { $out: `${name}_copy` }]).toArray(),
    () => items.dropIndex('n_1'),
    () => items.rename(`${name}_moved`),
    () => db.collection(`${name}_moved`).drop(),
  ];
}

/** Runs all writes one after the other and then twenty at a time; tells which requests were write commands. */
export async function runWrites(uri: string): Promise<Map<number, Sent>> {
  const sent = new Map<number, Sent>();
  const client = await MongoClient.connect(uri, { monitorCommands: true, maxPoolSize: 20 });
  let alone = true;
  client.on('commandStarted', ({ requestId, commandName }) => {
    if (writeCommands.has(commandName)) sent.set(requestId, { name: commandName, alone });
  });
  for (const write of everyWrite(client, 'alone')) await write();
  await client.db('other').collection('items').insertOne({});
  await client.db('other').dropDatabase();
  alone = false;
  await Promise.all(
    Array.from({ length: 20 }, async (_, n) => {
      for (const write of everyWrite(client, `together${n}`)) await write();
    }),
  );
  await client.close();
  return sent;
}
