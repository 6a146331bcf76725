import { MongoError } from 'mongodb';
import type { TestContext } from '../context.ts';
import type { EntityType, OpenCursor } from '../entity-map.ts';
import { matchError } from '../errors.ts';
import { match } from '../matching.ts';
import { Mismatch, NotApplicable, RunnerError } from '../problems.ts';
import { type Operation, refuseUnknownFields } from '../suite.ts';
import { Arguments } from './arguments.ts';
import { clientCrud, collectionCrud, databaseCrud } from './crud.ts';
import { collectionCursors, cursorOperations, databaseCursors } from './cursors.ts';
import { bucketOperations } from './gridfs.ts';
import { clientManagement, collectionManagement, databaseManagement } from './management.ts';
import { clientOperations, sessionOperations } from './session-and-client.ts';
import type { Operations } from './table.ts';
import { testRunnerOperations } from './test-runner.ts';

const tables: { [T in EntityType]: Operations<T> } = {
  client: { ...clientCrud, ...clientManagement, ...clientOperations },
  database: { ...databaseCrud, ...databaseCursors, ...databaseManagement },
  collection: { ...collectionCrud, ...collectionCursors, ...collectionManagement },
  session: sessionOperations,
  bucket: bucketOperations,
  cursor: cursorOperations,
  value: {},
};

/** Operations that end in an iterated cursor, each of whose documents is a root-level one. */
const iterating = new Set([
  'aggregate',
  'find',
  'listCollections',
  'listDatabases',
  'listIndexes',
  'listSearchIndexes',
  'runCursorCommand',
]);

const fields = [
  'name',
  'object',
  'arguments',
  'ignoreResultAndError',
  'expectError',
  'expectResult',
  'saveResultAsEntity',
];

type Ending = { result: unknown } | { error: Error };

const isOwnProblem = (error: unknown) =>
  error instanceof RunnerError || error instanceof NotApplicable || error instanceof Mismatch;

/** Runs an operation of an entity; problems of the runner are never taken for an error that a test expects. */
async function perform(operation: Operation, context: TestContext): Promise<Ending> {
  const { type, value } = context.entities.entry(operation.object);
  const run = (tables[type] as Operations<typeof type>)[operation.name];
  if (!run) throw new RunnerError(`Unknown operation on a ${type}: ${operation.name}.`);
  const args = new Arguments(operation.arguments ?? {}, context.entities);
  try {
    return { result: await run(value as never, args, context) };
  } catch (error) {
    if (isOwnProblem(error) || !(error instanceof Error)) throw error;
    return { error };
  }
}

function save(name: string, result: unknown, { entities }: TestContext): void {
  if (result === undefined) throw new RunnerError(`There is no result to save as "${name}".`);
  const isCursor = typeof result === 'object' && result !== null && 'cursor' in result && 'first' in result;
  if (isCursor) entities.set('cursor', name, result as OpenCursor);
  else entities.set('value', name, result);
}

function check(operation: Operation, ending: Ending, context: TestContext): void {
  const { name, expectError } = operation;
  const { entities } = context;
  if ('error' in ending) {
    if (!expectError) throw new Mismatch(`unexpected ${describe(ending.error)}`, { cause: ending.error });
    matchError(expectError, ending.error, entities);
    return;
  }
  if (expectError) throw new Mismatch('expected an error, there was none');
  if ('expectResult' in operation) {
    const root = iterating.has(name) ? 'elements' : 'document';
    match(operation.expectResult, ending.result, { path: 'result', root, entities });
  }
  if (operation.saveResultAsEntity) save(operation.saveResultAsEntity, ending.result, context);
}

function describe(error: Error): string {
  const code = error instanceof MongoError && error.code !== undefined ? ` (code ${error.code})` : '';
  return `${error.name}: ${error.message}${code}`;
}

async function runOnTestRunner(operation: Operation, context: TestContext): Promise<void> {
  const run = testRunnerOperations[operation.name];
  if (!run) throw new RunnerError(`Unknown operation of the test runner: ${operation.name}.`);
  await run(new Arguments(operation.arguments ?? {}, context.entities), context);
}

/** Runs one operation and asserts what the test says about its result or error. */
export async function runOperation(operation: Operation, context: TestContext): Promise<void> {
  refuseUnknownFields(operation, fields, 'field of an operation');
  if (operation.object === 'testRunner') return await runOnTestRunner(operation, context);
  const ending = await perform(operation, context);
  if (!operation.ignoreResultAndError) check(operation, ending, context);
}
