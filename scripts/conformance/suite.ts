import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { BSON, type Document } from 'mongodb';
import { RunnerError } from './problems.ts';

export type Requirement = {
  minServerVersion?: string;
  maxServerVersion?: string;
  topologies?: string[];
  serverless?: 'require' | 'forbid' | 'allow';
  serverParameters?: Document;
  auth?: boolean;
  authMechanism?: string;
  csfle?: boolean;
};

export type CollectionData = {
  collectionName: string;
  databaseName: string;
  createOptions?: Document;
  documents: Document[];
};

export type Operation = {
  name: string;
  object: string;
  arguments?: Document;
  ignoreResultAndError?: boolean;
  expectError?: Document;
  expectResult?: unknown;
  saveResultAsEntity?: string;
};

export type ExpectedEvents = {
  client: string;
  eventType?: 'command' | 'cmap' | 'sdam';
  events: Document[];
  ignoreExtraEvents?: boolean;
};

export type Test = {
  description: string;
  runOnRequirements?: Requirement[];
  skipReason?: string;
  operations: Operation[];
  expectEvents?: ExpectedEvents[];
  outcome?: CollectionData[];
};

export type Suite = {
  file: string;
  description: string;
  schemaVersion: string;
  runOnRequirements?: Requirement[];
  createEntities?: Document[];
  initialData?: CollectionData[];
  tests: Test[];
};

/** The paths of the suites in a directory, in the order of their names. */
export function suitePaths(directory: string): string[] {
  const names = readdirSync(directory).filter((name) => name.endsWith('.json'));
  if (names.length === 0) throw new Error(`There is no *.json file in ${directory}.`);
  return names.toSorted().map((name) => join(directory, name));
}

/** Reads a suite as plain JSON; values become BSON test by test, because the driver adds an `_id` to what it inserts. */
export function readSuite(path: string): Suite {
  return { ...JSON.parse(readFileSync(path, 'utf8')), file: basename(path) };
}

/** Extended JSON, relaxed or canonical, as BSON values of the type that it names. */
export function fromExtendedJson<T>(value: T): T {
  return BSON.EJSON.deserialize(value as Document, { relaxed: false }) as T;
}

const suiteFields = [
  'file',
  'description',
  'schemaVersion',
  'runOnRequirements',
  'createEntities',
  'initialData',
  'tests',
  '_yamlAnchors',
];
const testFields = [
  'description',
  'runOnRequirements',
  'skipReason',
  'operations',
  'expectEvents',
  'outcome',
];

/** Throws when an object has a field that this runner would otherwise silently ignore. */
export function refuseUnknownFields(object: object, known: readonly string[], what: string): void {
  const unknown = Object.keys(object).filter((field) => !known.includes(field));
  if (unknown.length > 0) throw new RunnerError(`Unknown ${what}: ${unknown.join(', ')}.`);
}

/** Throws unless the suite is of schema 1.x and holds nothing that this runner does not know. */
export function checkSuite(suite: Suite): void {
  if (!/^1(\.\d+){0,2}$/.test(suite.schemaVersion)) {
    throw new RunnerError(`Schema version ${suite.schemaVersion} is not 1.x.`);
  }
  refuseUnknownFields(suite, suiteFields, 'field of the suite');
}

/** Throws when the test holds something that this runner does not know. */
export function checkTest(test: Test): void {
  refuseUnknownFields(test, testFields, 'field of the test');
}
