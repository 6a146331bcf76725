import {
  type AnyClientBulkWriteModel,
  type Db,
  type Document,
  MongoClientBulkWriteError,
  MongoServerError,
} from 'mongodb';

/** A document, and the collection that it goes to. */
export type Insert = { collection: string; document: Document };

/** A change of the one document that a filter finds; `upsert`: where it finds none, one is made. */
export type DocumentUpdate = { collection: string; filter: Document; update: Document; upsert?: boolean };

export type Together = {
  /** Inserts documents in their order, or side by side. Where it rejects, some may be there. */
  insert(inserts: readonly Insert[]): Promise<void>;
  /**
   * Changes documents in their order up to the first that is refused, with which it rejects. Answers how many of the updates
   * found a document or made one.
   */
  update(updates: readonly DocumentUpdate[]): Promise<number>;
};

/** What servers say that take writes to several collections in one command: MongoDB 8, and the embedded store. */
const WIRE_VERSION = 25;

/** Writes to several collections: in one command where the server takes that. */
export function createTogether(db: () => Db): Together {
  let asked: Promise<boolean> | null = null;

  /** Asked once: a server that is replaced by an older one refuses what it does not know. */
  function takesAll(): Promise<boolean> {
    asked ??= db()
      .admin()
      .command({ hello: 1 })
      .then(({ maxWireVersion }) => maxWireVersion >= WIRE_VERSION)
      .catch((error: unknown) => {
        asked = null;
        throw error;
      });
    return asked;
  }

  return {
    async insert(inserts) {
      if (!(await takesAll())) return insertSideBySide(db(), inserts);
      await inOneCommand(
        db(),
        inserts.map(({ collection, document }) => ({
          namespace: namespaceOf(db(), collection),
          name: 'insertOne',
          document,
        })),
      );
    },
    async update(updates) {
      if (!(await takesAll())) return updateInTurn(db(), updates);
      const { matchedCount, upsertedCount } = await inOneCommand(
        db(),
        updates.map(({ collection, ...update }) => ({
          namespace: namespaceOf(db(), collection),
          name: 'updateOne',
          ...update,
        })),
      );
      return matchedCount + upsertedCount;
    },
  };
}

const namespaceOf = ({ databaseName }: Db, collection: string): string => `${databaseName}.${collection}`;

async function inOneCommand({ client }: Db, models: readonly AnyClientBulkWriteModel<Document>[]) {
  try {
    return await client.bulkWrite(models);
  } catch (error) {
    throw error instanceof MongoClientBulkWriteError ? firstOf(error) : error;
  }
}

/** The error of the one write that was refused, as a write of its own would have it. */
function firstOf(error: MongoClientBulkWriteError): unknown {
  const [refused] = error.writeErrors.values();
  if (!refused) return error.cause ?? error;
  return new MongoServerError({ message: refused.message, code: refused.code });
}

/** All have ended before the first error is thrown, so that whoever takes them back finds them. */
async function insertSideBySide(db: Db, inserts: readonly Insert[]): Promise<void> {
  const ended = await Promise.allSettled(
    inserts.map(({ collection, document }) => db.collection(collection).insertOne(document)),
  );
  for (const end of ended) if (end.status === 'rejected') throw end.reason;
}

async function updateInTurn(db: Db, updates: readonly DocumentUpdate[]): Promise<number> {
  let met = 0;
  for (const { collection, filter, update, upsert } of updates) {
    const options = upsert === undefined ? {} : { upsert };
    const { matchedCount, upsertedCount } = await db
      .collection(collection)
      .updateOne(filter, update, options);
    met += matchedCount + upsertedCount;
  }
  return met;
}
