import { encode } from '../bson/encode.ts';
import { CommandError } from '../errors.ts';
import type { ReadStore } from '../store/read-store.ts';
import type { Message } from '../wire.ts';
import { aggregateCommand } from './aggregate.ts';
import { checkFields, paceOf, type ReadCommand } from './command.ts';
import { countCommands } from './count.ts';
import { findCommands } from './find.ts';
import { internalCommands } from './internal.ts';

/** The commands that only read. */
export const readCommands: Record<string, ReadCommand> = {
  ...findCommands,
  ...countCommands,
  aggregate: aggregateCommand,
};

/** Runs a command in a reader thread. */
export async function runRead(store: ReadStore, message: Message, client: AbortSignal): Promise<Buffer> {
  const { body } = message;
  const name = Object.keys(body)[0] ?? '';
  const command = internalCommands[name] ?? readCommands[name];
  if (!command) throw new CommandError(59, `no such command: '${name}'`);
  checkFields(name, body, command);
  const database = String(body.$db);
  const pace = paceOf(body, false, client);
  const reply = await command.read({ store, database, name, body, message, client, pace });
  return Buffer.isBuffer(reply) ? reply : encode(reply);
}
