import { setTimeout as sleep } from 'node:timers/promises';
import { type Document, MongoServerError } from 'mongodb';
import type { TestContext } from '../context.ts';
import { createEntities } from '../entities.ts';
import type { EventLog } from '../event-log.ts';
import { matchEvent } from '../events.ts';
import { Mismatch, NotApplicable } from '../problems.ts';
import { canonical, show } from '../values.ts';
import type { Arguments } from './arguments.ts';

const COMMAND_NOT_FOUND = 59;
const WAIT_LIMIT = 10_000;

const logOf = ({ entities }: TestContext, args: Arguments) =>
  entities.get('client', args.take<string>('client')).events;

function assert(condition: boolean, message: string): void {
  if (!condition) throw new Mismatch(message);
}

function lsidsOfLastTwoCommands(log: EventLog): [unknown, unknown] {
  const commands = log.observed.filter(({ name }) => name === 'commandStartedEvent');
  const [first, second] = commands.slice(-2).map(({ event }) => event.command.lsid as unknown);
  assert(first !== undefined && second !== undefined, 'two commands with an lsid were expected');
  return [first, second];
}

async function collectionExists({ internal }: TestContext, args: Arguments): Promise<boolean> {
  const database = internal.db(args.take<string>('databaseName'));
  const found = database.listCollections({ name: args.take<string>('collectionName') }, { nameOnly: true });
  return (await found.toArray()).length > 0;
}

async function indexExists({ internal }: TestContext, args: Arguments): Promise<boolean> {
  const database = internal.db(args.take<string>('databaseName'));
  const collection = database.collection(args.take<string>('collectionName'));
  const wanted = args.take<string>('indexName');
  try {
    const indexes = await collection.listIndexes().toArray();
    return indexes.some(({ name }) => name === wanted);
  } catch (error) {
    // NamespaceNotFound: where there is no collection, there is no index.
    if (error instanceof MongoServerError && error.code === 26) return false;
    throw error;
  }
}

function countEvents(log: EventLog, expected: Document, { entities }: TestContext): number {
  const isExpected = (observed: (typeof log.observed)[number]) => {
    try {
      matchEvent(expected, observed, { path: 'event', root: 'document', entities });
      return true;
    } catch (error) {
      if (error instanceof Mismatch) return false;
      throw error;
    }
  };
  return log.observed.filter(isExpected).length;
}

async function setFailPoint(context: TestContext, args: Arguments): Promise<void> {
  const { client } = context.entities.get('client', args.take<string>('client'));
  const command = args.take<Document>('failPoint');
  try {
    await client.db('admin').command(command);
  } catch (error) {
    if (error instanceof MongoServerError && error.code === COMMAND_NOT_FOUND) {
      throw new NotApplicable('needs fail points');
    }
    throw error;
  }
  const { configureFailPoint } = command;
  context.failPoints.push({ client, command: { configureFailPoint, mode: 'off' } });
}

/** The operations of the runner itself, most of them assertions. */
export const testRunnerOperations: Record<string, (args: Arguments, context: TestContext) => Promise<void>> =
  {
    failPoint: async (args, context) => await setFailPoint(context, args),
    async targetedFailPoint() {
      throw new NotApplicable('needs a sharded cluster');
    },
    async assertDifferentLsidOnLastTwoCommands(args, context) {
      const [first, second] = lsidsOfLastTwoCommands(logOf(context, args));
      assert(canonical(first) !== canonical(second), `both commands have the session ${show(first)}`);
    },
    async assertSameLsidOnLastTwoCommands(args, context) {
      const [first, second] = lsidsOfLastTwoCommands(logOf(context, args));
      assert(canonical(first) === canonical(second), `sessions differ: ${show(first)}, ${show(second)}`);
    },
    async assertCollectionExists(args, context) {
      assert(await collectionExists(context, args), 'the collection does not exist');
    },
    async assertCollectionNotExists(args, context) {
      assert(!(await collectionExists(context, args)), 'the collection exists');
    },
    async assertIndexExists(args, context) {
      assert(await indexExists(context, args), 'the index does not exist');
    },
    async assertIndexNotExists(args, context) {
      assert(!(await indexExists(context, args)), 'the index exists');
    },
    async createEntities(args, context) {
      createEntities(context, args.take<Document[]>('entities'));
    },
    async assertNumberConnectionsCheckedOut(args, context) {
      const { checkedOut } = logOf(context, args);
      assert(checkedOut === args.take<number>('connections'), `${checkedOut} connections are checked out`);
    },
    async assertEventCount(args, context) {
      const count = countEvents(logOf(context, args), args.take<Document>('event'), context);
      assert(count === args.take<number>('count'), `there were ${count} such events`);
    },
    async waitForEvent(args, context) {
      const log = logOf(context, args);
      const event = args.take<Document>('event');
      const count = args.take<number>('count');
      const deadline = Date.now() + WAIT_LIMIT;
      while (countEvents(log, event, context) < count) {
        assert(Date.now() < deadline, `there were not ${count} such events in ${WAIT_LIMIT} ms`);
        await sleep(10);
      }
    },
    wait: async (args) => await sleep(args.take<number>('ms')),
  };
