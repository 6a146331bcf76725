import { decode as decodeStatement } from '../bson/decode.ts';
import { CommandError } from '../errors.ts';
import type { Store } from '../store/store.ts';
import type { Message } from '../wire.ts';
import { adminCommands } from './admin.ts';
import { aggregateCommand } from './aggregate.ts';
import { bulkWriteCommand } from './bulk-write.ts';
import { type Command, checkFields, paceOf, type Reply } from './command.ts';
import { countCommands } from './count.ts';
import { deleteCommand } from './delete.ts';
import { findCommands } from './find.ts';
import { findAndModifyCommands } from './find-and-modify.ts';
import { helloCommands } from './hello.ts';
import { indexCommands } from './indexes.ts';
import { insertCommand } from './insert.ts';
import { updateCommand } from './update.ts';

const commands = new Map<string, Command>(
  Object.entries({
    ...helloCommands,
    ...adminCommands,
    ...indexCommands,
    ...findCommands,
    ...findAndModifyCommands,
    ...countCommands,
    insert: insertCommand,
    update: updateCommand,
    delete: deleteCommand,
    aggregate: aggregateCommand,
    bulkWrite: bulkWriteCommand,
  }),
);

/** Finds the command a message names and runs it. */
export async function runCommand(store: Store, message: Message): Promise<Reply> {
  const { body, sequences } = message;
  const name = Object.keys(body)[0] ?? '';
  const command = commands.get(name);
  if (!command) throw new CommandError(59, `no such command: '${name}'`);
  const database = body.$db;
  if (typeof database !== 'string' || database === '')
    throw new CommandError(73, 'a command needs a database ($db)');
  checkFields(name, body, command);
  for (const [field, documents] of sequences) {
    if (field in body) throw new CommandError(9, `field '${field}' appears twice in the message`);
    if (field !== 'documents') body[field] = documents.map((document) => decodeStatement(document));
  }
  return command.run({ store, database, name, body, sequences, pace: paceOf(body) });
}
