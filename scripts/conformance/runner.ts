import { MongoClient } from 'mongodb';
import type { TestContext } from './context.ts';
import { closeEntities, createEntities } from './entities.ts';
import { EntityMap } from './entity-map.ts';
import { matchEvents } from './events.ts';
import { runOperation } from './operations/index.ts';
import { checkOutcome, prepareCollection } from './outcome.ts';
import { Mismatch, NotApplicable } from './problems.ts';
import { describeServer, reasonToSkip, type ServerDescription } from './requirements.ts';
import {
  checkSuite,
  checkTest,
  fromExtendedJson,
  readSuite,
  type Suite,
  suitePaths,
  type Test,
} from './suite.ts';

export type TestResult = {
  file: string;
  description: string;
  status: 'passed' | 'failed' | 'skipped';
  /** Why it failed or was skipped. */
  reason?: string;
};

type Environment = { uri: string; internal: MongoClient; server: ServerDescription };

const TIME_LIMIT = 30_000;

async function runOperations(test: Test, context: TestContext): Promise<void> {
  for (const [index, operation] of test.operations.entries()) {
    try {
      await runOperation(operation, context);
    } catch (error) {
      if (error instanceof Mismatch)
        error.message = `operation ${index} (${operation.name}): ${error.message}`;
      throw error;
    }
  }
}

async function execute(suite: Suite, test: Test, context: TestContext): Promise<void> {
  checkSuite(suite);
  checkTest(test);
  for (const data of fromExtendedJson(suite.initialData ?? [])) await prepareCollection(context, data);
  createEntities(context, fromExtendedJson(suite.createEntities ?? []));
  await runOperations(fromExtendedJson(test), context);
  for (const { events } of context.entities.all('client')) events.close();
  const { expectEvents = [], outcome = [] } = fromExtendedJson(test);
  for (const expected of expectEvents) matchEvents(expected, context.entities);
  for (const data of outcome) await checkOutcome(context, data);
}

async function cleanUp(context: TestContext): Promise<void> {
  for (const { client, command } of context.failPoints) await client.db('admin').command(command);
  await closeEntities(context);
}

/** Fails a test that hangs; closing its clients ends what it waits for. */
async function withTimeLimit(work: Promise<void>): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Mismatch(`no end after ${TIME_LIMIT} ms`)), TIME_LIMIT);
  try {
    await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}

async function executeAndCleanUp(suite: Suite, test: Test, context: TestContext): Promise<void> {
  try {
    await withTimeLimit(execute(suite, test, context));
  } finally {
    await cleanUp(context);
  }
}

/** Runs one test that applies to the server. */
async function runTest(suite: Suite, test: Test, environment: Environment): Promise<TestResult> {
  const { file } = suite;
  const { description } = test;
  const context: TestContext = { ...environment, entities: new EntityMap(), failPoints: [] };
  try {
    await executeAndCleanUp(suite, test, context);
    return { file, description, status: 'passed' };
  } catch (error) {
    const status = error instanceof NotApplicable ? 'skipped' : 'failed';
    return { file, description, status, reason: error instanceof Error ? error.message : String(error) };
  }
}

async function skipReason(suite: Suite, test: Test, { server }: Environment): Promise<string | undefined> {
  return (
    test.skipReason ??
    (await reasonToSkip(suite.runOnRequirements, server)) ??
    (await reasonToSkip(test.runOnRequirements, server))
  );
}

/** Runs the tests of a suite one after the other. */
async function runSuite(suite: Suite, environment: Environment): Promise<TestResult[]> {
  const { file } = suite;
  const results: TestResult[] = [];
  for (const test of suite.tests) {
    const reason = await skipReason(suite, test, environment);
    results.push(
      reason
        ? { file, description: test.description, status: 'skipped', reason }
        : await runTest(suite, test, environment),
    );
  }
  return results;
}

/** Runs every suite of the directories on a server. */
export async function runDirectories(directories: string[], uri: string): Promise<TestResult[]> {
  const internal = await MongoClient.connect(uri);
  try {
    const environment = { uri, internal, server: await describeServer(internal) };
    const results: TestResult[] = [];
    for (const path of directories.flatMap(suitePaths)) {
      results.push(...(await runSuite(readSuite(path), environment)));
    }
    return results;
  } finally {
    await internal.close();
  }
}
