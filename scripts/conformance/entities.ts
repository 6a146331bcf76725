import { type Document, GridFSBucket, MongoClient, type ServerApi } from 'mongodb';
import type { TestContext } from './context.ts';
import { EventLog } from './event-log.ts';
import { driverOptions } from './options.ts';
import { NotApplicable, RunnerError } from './problems.ts';
import { refuseUnknownFields } from './suite.ts';
import { plain } from './values.ts';

/** A connection string in which options of a test take the place of its own. */
export function uriWith(uri: string, options: Document): string {
  const [address = '', query] = uri.split('?');
  const parameters = new URLSearchParams(query);
  for (const [name, value] of Object.entries(options)) {
    parameters.delete(name);
    for (const single of Array.isArray(value) ? value : [value]) parameters.append(name, String(single));
  }
  const hasPath = address.replace(/^[^/]+\/\//, '').includes('/');
  return `${address}${hasPath ? '' : '/'}?${parameters}`;
}

const clientFields = [
  'id',
  'uriOptions',
  // Only sharded clusters have several.
  'useMultipleMongoses',
  'observeEvents',
  'ignoreCommandMonitoringEvents',
  'observeSensitiveCommands',
  'serverApi',
];

function createClient({ uri, entities }: TestContext, definition: Document): void {
  if (definition.autoEncryptOpts) throw new NotApplicable('needs client-side encryption');
  refuseUnknownFields(definition, clientFields, 'option of a client');
  const { id, uriOptions = {}, serverApi } = definition;
  const client = new MongoClient(uriWith(uri, plain(uriOptions) as Document), {
    monitorCommands: true,
    ...(serverApi ? { serverApi: serverApi as ServerApi } : {}),
  });
  entities.set('client', id, { client, events: new EventLog(client, definition) });
}

function createDatabase({ entities }: TestContext, definition: Document): void {
  const { id, client, databaseName, databaseOptions = {}, ...others } = definition;
  refuseUnknownFields(others, [], 'option of a database');
  const options = driverOptions(databaseOptions, entities);
  entities.set('database', id, entities.get('client', client).client.db(databaseName, options));
}

function createCollection({ entities }: TestContext, definition: Document): void {
  const { id, database, collectionName, collectionOptions = {}, ...others } = definition;
  refuseUnknownFields(others, [], 'option of a collection');
  const options = driverOptions(collectionOptions, entities);
  entities.set('collection', id, entities.get('database', database).collection(collectionName, options));
}

function createSession({ entities }: TestContext, definition: Document): void {
  const { id, client, sessionOptions = {}, ...others } = definition;
  refuseUnknownFields(others, [], 'option of a session');
  const session = entities.get('client', client).client.startSession(driverOptions(sessionOptions, entities));
  entities.set('session', id, { session, lsid: session.id });
}

function createBucket({ entities }: TestContext, definition: Document): void {
  const { id, database, bucketOptions = {}, ...others } = definition;
  refuseUnknownFields(others, [], 'option of a bucket');
  const options = driverOptions(bucketOptions, entities);
  entities.set('bucket', id, new GridFSBucket(entities.get('database', database), options));
}

const creators: Record<string, (context: TestContext, definition: Document) => void> = {
  client: createClient,
  database: createDatabase,
  collection: createCollection,
  session: createSession,
  bucket: createBucket,
  clientEncryption() {
    throw new NotApplicable('needs client-side encryption');
  },
};

/** Creates the entities that a suite or an operation defines, in their order. */
export function createEntities(context: TestContext, definitions: Document[]): void {
  for (const definition of definitions) {
    const [type = 'nothing', ...others] = Object.keys(definition);
    const create = creators[type];
    if (!create || others.length > 0) {
      throw new RunnerError(`Unknown entity: ${Object.keys(definition).join(', ')}.`);
    }
    create(context, definition[type]);
  }
}

/** Ends everything that a test opened. */
export async function closeEntities({ entities }: TestContext): Promise<void> {
  for (const { cursor } of entities.all('cursor')) await cursor.close();
  for (const { session } of entities.all('session')) await session.endSession();
  for (const { client } of entities.all('client')) await client.close();
}
