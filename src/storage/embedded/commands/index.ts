import { decode } from '../bson/decode.ts';
import { validate } from '../bson/raw.ts';
import { CommandError } from '../errors.ts';
import { moved } from '../pace.ts';
import type { Store } from '../store/store.ts';
import type { Message } from '../wire.ts';
import { adminCommands } from './admin.ts';
import { bulkWriteCommand } from './bulk-write.ts';
import {
  type Command,
  type CommandReply,
  checkCommand,
  paceOf,
  type ReadCommand,
  type Request,
} from './command.ts';
import { findAndModifyCommands } from './find-and-modify.ts';
import { helloCommands } from './hello.ts';
import { indexCommands } from './indexes.ts';
import { readCommands } from './reads.ts';
import { checkApiVersion } from './stable-api.ts';
import { writeCommands } from './write.ts';

const commands = new Map<string, Command | ReadCommand>(
  Object.entries({
    ...readCommands,
    ...writeCommands,
    ...findAndModifyCommands,
    bulkWrite: bulkWriteCommand,
    ...indexCommands,
    ...adminCommands,
    ...helloCommands,
  }),
);

/** Finds the command a message names and runs it. */
export async function runCommand(store: Store, message: Message, client: AbortSignal): Promise<CommandReply> {
  const { body, sequences } = message;
  const name = Object.keys(body)[0] ?? '';
  const command = commands.get(name);
  if (!command) throw new CommandError(59, `no such command: '${name}'`);
  const database = body.$db;
  if (typeof database !== 'string' || database === '')
    throw new CommandError(73, 'a command needs a database ($db)');
  checkCommand(name, body, command);
  checkApiVersion(name, body);
  for (const [field, documents] of sequences) {
    if (field in body) throw new CommandError(9, `field '${field}' appears twice in the message`);
    // Documents to insert stay bytes, and are looked at when they are stored.
    if (field === 'documents') continue;
    for (const bytes of documents) validate(bytes);
    body[field] = documents.map((bytes) => decode(bytes));
  }
  if (body.lsid !== undefined) store.sessions.touch(body.lsid);
  const pace = paceOf(body, 'read' in command, client);
  const request: Request = { store, database, name, body, message, client, pace };
  try {
    return await ('run' in command ? command.run(request) : command.read(request));
  } catch (error) {
    if (error === moved) return store.readers.run(message.bytes, client);
    throw error;
  }
}
