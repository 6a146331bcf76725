import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Exception } from '../../scripts/conformance/exceptions.ts';
import { evaluate, formatReport } from '../../scripts/conformance/report.ts';
import { runDirectories, type TestResult } from '../../scripts/conformance/runner.ts';
import { type Running, startServer } from '../storage/embedded/support.ts';

const path = (relative: string) => new URL(relative, import.meta.url).pathname;
const suites = path('conformance');
const faults = path('conformance/faults');

let running: Running;
let faulty: TestResult[];

beforeAll(async () => {
  running = await startServer();
  faulty = await runDirectories([faults], running.server.uri);
});

afterAll(async () => {
  await running.stop();
});

function runCommandLine(...directories: string[]) {
  const { MONGODB_URI: _, ...env } = process.env;
  const script = path('../../scripts/conformance/index.ts');
  const args = ['--disable-warning=ExperimentalWarning', script, ...directories];
  return spawnSync(process.execPath, args, { env, encoding: 'utf8' });
}

test('suites of GridFS, indexes, collections, cursors and sessions pass, unchanged by what they ask for', async () => {
  const results = await runDirectories([suites], running.server.uri);
  expect(results.filter(({ status }) => status === 'failed')).toEqual([]);
  expect(results.filter(({ status }) => status === 'skipped').map(({ reason }) => reason)).toEqual([
    'for servers newer than 8.0.0, or needs topology load-balanced',
    'needs fail points',
    'the driver has no renameByName',
  ]);
  expect(results.filter(({ status }) => status === 'passed').length).toBeGreaterThan(15);
});

test.each([
  ['wrong result', 'operation 0 (findOne): result.x: expected 12, got 11'],
  ['missing field', 'result.y: expected 1, there is nothing'],
  ['extra field in an inner document', 'result.inner: unexpected field b'],
  ['wrong type', 'result.x: expected type string, got 11'],
  ['field that must not exist', 'result.x: expected not to exist, is 11'],
  ['missing document', 'result: expected 2 elements, got 1'],
  ['wrong outcome', 'outcome of conformance.things: expected'],
  ['outcome with a number of another type', 'outcome of conformance.things: expected'],
  ['wrong event', 'events[0].command.filter._id: expected 2, got 1'],
  ['missing event', 'events[0]: expected commandStartedEvent, there is none'],
  ['unexpected event', 'events: more than expected: aggregate'],
  ['missing error', 'expected an error, there was none'],
  ['unexpected error', 'unexpected MongoServerError: unknown top level operator'],
  ['wrong error code', 'expected error code 11000, got 2'],
  ['server error taken for a client error', 'expected isClientError true, got MongoServerError'],
  ['unknown operation', 'Unknown operation on a collection: noSuchOperation.'],
  ['unknown operation of the test runner', 'Unknown operation of the test runner: noSuchOperation.'],
  ['unknown argument', 'Unknown argument: noSuchArgument.'],
  ['unknown entity', 'There is no entity "collection9".'],
  ['unknown special operator', 'Unknown special operator: $$noSuchOperator.'],
  ['unknown assertion about an error', 'Unknown assertion about an error: noSuchAssertion.'],
  ['unknown field of a test', 'Unknown field of the test: expectLogMessages.'],
  ['missing index', 'the index does not exist'],
  ['another schema', 'Schema version 2.0 is not 1.x.'],
])('the runner notices: %s', (description, reason) => {
  const result = faulty.find((candidate) => candidate.description === description);
  expect(result).toMatchObject({ status: 'failed', reason: expect.stringContaining(reason) });
});

const named = (description: string, owner: Exception['owner'] = 'driver'): Exception => ({
  file: 'faults.json',
  description,
  reason: 'for a good reason',
  owner,
});

test('a failure that is a named exception is reported as such, and no longer unexpected', () => {
  const report = evaluate(faulty, [named('wrong result')]);
  expect(report.unexpected.map(({ description }) => description)).not.toContain('wrong result');
  expect(formatReport(report)).toContain('Failures that are named exceptions:\n  faults.json: wrong result');
});

test('the share that this driver can pass leaves out what is the doing of the driver, and nothing else', () => {
  const applicable = faulty.filter(({ status }) => status !== 'skipped').length;
  const share = (owner: Exception['owner']): string =>
    formatReport(evaluate(faulty, [named('wrong result', owner)]));
  expect(share('driver')).toContain(` of the ${applicable - 1} that this driver can pass on any server.`);
  expect(share('store')).not.toContain('that this driver can pass');
});

test('an exception whose test passes or is gone is stale; one of another suite is not', () => {
  const passes = named('passes, and is named as an exception');
  const gone = named('is gone');
  const elsewhere = { ...gone, file: 'elsewhere.json' };
  expect(evaluate(faulty, [passes, gone, elsewhere]).stale).toEqual([passes, gone]);
});

test('the command line ends well and with the sums where everything passes', () => {
  const { status, stdout } = runCommandLine(suites);
  expect(stdout).toMatch(/\n100\.0 % of \d+ applicable tests pass\.\n\d+ passed, 0 failed, 3 skipped\n$/);
  expect(status).toBe(0);
});

test('the command line fails where a test does, and says which and why', () => {
  const { status, stdout } = runCommandLine(suites, faults);
  expect(stdout).toContain('  faults.json: missing error\n    operation 0 (findOne): expected an error');
  expect(status).toBe(1);
});

test('the command line refuses to run nothing', () => {
  expect(runCommandLine().status).toBe(2);
  expect(runCommandLine(path('../support')).stderr).toContain('There is no *.json file');
});
