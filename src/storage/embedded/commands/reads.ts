import { encode } from '../bson/encode.ts';
import { CommandError } from '../errors.ts';
import { Selected } from '../query/select.ts';
import type { ReadStore } from '../store/read-store.ts';
import type { Message } from '../wire.ts';
import { aggregateCommand } from './aggregate.ts';
import { checkFields, collectionName, paceOf, type ReadCommand, type ReadRequest } from './command.ts';
import { countCommands } from './count.ts';
import { findCommands, findSelection, openCursor } from './find.ts';

/** The commands that only read. */
export const readCommands: Record<string, ReadCommand> = {
  ...findCommands,
  ...countCommands,
  aggregate: aggregateCommand,
};

/** For the writer alone: the records of what a find would give. */
async function records(request: ReadRequest): Promise<Buffer> {
  const { store, database, body, pace } = request;
  const name = collectionName(request);
  const collection = store.catalogue.find(database, name);
  async function* source(): AsyncGenerator<Buffer[]> {
    if (!collection) return;
    const selected = new Selected(store.database, collection, findSelection(body));
    for await (const matches of selected.paced(pace)) yield matches.map(({ record }) => encode({ record }));
  }
  return openCursor(request, `${database}.${name}`, source(), undefined, false);
}

/** Runs a command in a reader thread. */
export async function runRead(store: ReadStore, message: Message, client: AbortSignal): Promise<Buffer> {
  const { body } = message;
  const name = Object.keys(body)[0] ?? '';
  const command = name === 'records' ? { fields: null, read: records } : readCommands[name];
  if (!command) throw new CommandError(59, `no such command: '${name}'`);
  checkFields(name, body, command);
  const database = String(body.$db);
  const pace = paceOf(body, false, client);
  const reply = await command.read({ store, database, name, body, message, client, pace });
  return Buffer.isBuffer(reply) ? reply : encode(reply);
}
