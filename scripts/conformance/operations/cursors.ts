import type { AbstractCursor, Db, Document, RunCommandCursor } from 'mongodb';
import type { OpenCursor } from '../entity-map.ts';
import type { Arguments } from './arguments.ts';
import type { Operations } from './table.ts';

async function open(cursor: AbstractCursor): Promise<OpenCursor> {
  return { cursor, first: await cursor.tryNext() };
}

function takeFirst(entity: OpenCursor): Document | null {
  const { first } = entity;
  entity.first = null;
  return first;
}

function commandCursor(database: Db, args: Arguments): RunCommandCursor {
  const command = args.take<Document>('command');
  // Only languages that lose the order of keys need the name.
  args.take('commandName', '');
  const { batchSize, maxTimeMS, comment, ...options } = args.options() as Document;
  const cursor = database.runCursorCommand(command, options);
  if (batchSize !== undefined) cursor.setBatchSize(batchSize);
  if (maxTimeMS !== undefined) cursor.setMaxTimeMS(maxTimeMS);
  if (comment !== undefined) cursor.setComment(comment);
  return cursor;
}

export const databaseCursors: Operations<'database'> = {
  runCommand: async (database, args) => {
    const command = args.take<Document>('command');
    args.take('commandName', '');
    return await database.command(command, args.options());
  },
  runCursorCommand: async (database, args) => await commandCursor(database, args).toArray(),
  createCommandCursor: async (database, args) => await open(commandCursor(database, args)),
};

export const collectionCursors: Operations<'collection'> = {
  createFindCursor: async (collection, args) =>
    await open(collection.find(args.take('filter', {}), args.options())),
};

export const cursorOperations: Operations<'cursor'> = {
  iterateUntilDocumentOrError: async (entity) => takeFirst(entity) ?? (await entity.cursor.next()),
  iterateOnce: async (entity) => takeFirst(entity) ?? (await entity.cursor.tryNext()),
  async close({ cursor }) {
    try {
      await cursor.close();
    } catch {
      // Drivers differ in whether they report that killCursors failed, so the format has runners ignore it.
    }
  },
};
