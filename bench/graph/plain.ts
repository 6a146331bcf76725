// What Sluice's doors are measured against, on the same database with the same keys: a plain Apollo Server over one
// schema merged by hand, and a bare HTTP handler. Both authenticate by the same memory of keys and call the same services.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { ApolloServer } from '@apollo/server';
import { expressMiddleware } from '@as-integrations/express5';
import express from 'express';
import { createThrottle, sleep } from '../../src/auth/index.ts';
import { createAuthenticate, credentialOf } from '../../src/authentication/authenticate.ts';
import { createDirectory } from '../../src/directory/memory.ts';
import { createHostPolicy } from '../../src/lib/http/custom-host.ts';
import { splitUrl } from '../../src/lib/http/request-url.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { createLogWriter } from '../../src/recording/log/writer.ts';
import { createSecretManagers } from '../../src/secret-managers/index.ts';
import { readSettings } from '../../src/settings/index.ts';
import { createChanges } from '../../src/storage/changes.ts';
import { openStorage } from '../../src/storage/connection.ts';
import { createContents } from '../../src/storage/contents/index.ts';
import { createEvents } from '../../src/storage/events/index.ts';
import { createLeases } from '../../src/storage/leases.ts';
import { loadMasterKey } from '../../src/storage/master-key.ts';
import { nativeDb } from '../../src/storage/native-db.ts';
import { createSecrets } from '../../src/storage/secrets.ts';
import { createSigningKeys } from '../../src/storage/signing-keys/index.ts';
import type { GraphContext } from '../../src/subgraphs/context.ts';
import { loadKeyRecords } from '../../src/subgraphs/identity/api-key/records.ts';
import { createInstallationFacts } from '../../src/subgraphs/identity/installation/facts.ts';
import { maskConfig } from '../../src/subgraphs/routing/config/sealing.ts';
import { getConfig } from '../../src/subgraphs/routing/config/service.ts';
import { schema } from './plain-schema.ts';

const [graphPort, restPort] = process.argv.slice(2).map(Number);
const settings = readSettings();
const log = createLogger('warn');
const { db } = await openStorage(settings.storage);
const secrets = createSecrets(
  await loadMasterKey(settings.storage.dataDirectory, settings.storage.encryptionKey, true),
);
const changes = createChanges(db, log);
await changes.start();
const events = createEvents(db, log);
const none = async () => new Map<string, never>();
const directory = createDirectory(
  {
    keys: (hashes) => loadKeyRecords(db, hashes),
    providers: none,
    configs: none,
    catalogues: none,
    accounts: none,
    workspaces: none,
    users: none,
    signIns: none,
    limits: none,
    guardrails: none,
    enforcedGuardrails: none,
  },
  changes,
);
const authenticate = createAuthenticate(directory, secrets, [], () => undefined);
const leases = createLeases(log);
const signingKeys = createSigningKeys({ db, secrets, changes, now: () => new Date(), log });

const noFiles = (): never => {
  throw new Error('The plain server keeps no files.');
};
const noRuns = (): Promise<never> => Promise.reject(new Error('The plain server executes no runs.'));

async function contextOf(request: IncomingMessage): Promise<GraphContext> {
  const { principal } = await authenticate(credentialOf(request.headers));
  return {
    db,
    secrets,
    changes,
    events,
    operations: { knows: () => false, run: async () => Promise.reject(new Error('There is no graph here.')) },
    logs: createLogWriter({ database: async () => nativeDb(db), log }),
    log,
    throttle: createThrottle({ log, sleep, now: () => performance.now() }),
    principal,
    memo: new Map(),
    now: () => new Date(),
    requestLogs: settings.requestLogs,
    identity: settings.identity,
    signingKeys,
    leases,
    keyUses: { unwritten: () => null },
    mail: { sendAlert: async () => undefined, sendSecret: async () => undefined },
    guardrails: { lookup: directory, checkHouse: undefined as never },
    limitAlarms: { raise: async () => undefined },
    webhooks: { publish: async () => undefined, wake: () => undefined, urlProblem: () => null },
    secretManagers: createSecretManagers(settings.secretManagers, createHostPolicy([]), fetch),
    installation: createInstallationFacts(db, () => {
      throw new Error('Nobody asks the plain server how it runs.');
    }),
    checkAdmission: async () => Promise.reject(new Error('There is no data plane here.')),
    threadErasure: undefined as never,
    runs: {
      create: noRuns,
      submit: noRuns,
      cancel: noRuns,
      current: async (run) => run,
      activeRun: async () => null,
      follow: () => {
        throw new Error('There are no runs here.');
      },
      hostedTools: new Set(),
      forgetThread: async () => undefined,
      forgetRun: async () => undefined,
    },
    batches: { create: noRuns, cancel: noRuns },
    files: {
      ...{ store: noFiles, receive: noFiles, keep: noFiles, giveUp: noFiles, find: noFiles, open: noFiles },
      ...{ remove: noFiles, onRemoved: noFiles, uploads: undefined as never, maxBytes: 0 },
    },
    mcp: {
      baseUrl: null,
      urlProblem: () => null,
      tryOut: async () => Promise.reject(new Error('The plain server reaches no MCP server.')),
      oauth: undefined as never,
      connections: undefined as never,
      wake: () => undefined,
      snapshot: { server: () => null },
      healthOf: () => null,
    },
    knowledge: {
      ...{
        touch: noFiles,
        attach: noFiles,
        detach: noFiles,
        detachEverywhere: noFiles,
        cancelBatch: noFiles,
      },
      ...{ dropStore: noFiles, counts: noFiles, search: noFiles, rewritten: noFiles },
      ...{ textsOf: noFiles, wake: noFiles, prepared: noFiles, embeddingOrder: noFiles },
    },
    vectorStores: settings.vectorStores,
    probe: async () => ({ status: null, latencyMs: 0, message: null, problem: null, body: null }),
    exports: {
      files: createContents({
        database: null,
        ...{ bucket: null, dataDirectory: settings.storage.dataDirectory },
        ...{ folder: 'exports', prefix: '' },
      }),
      wake: () => undefined,
    },
    workspaceOwned: [],
    goingWithWorkspace: [],
    audited: new Map(),
    organisationOwned: [],
    audit: { record: async () => undefined },
    request: {
      id: '',
      method: 'GET',
      path: '',
      query: '',
      headers: request.headers,
      clientIp: '',
      country: null,
      arrivedAt: () => '',
    },
  };
}

async function answerConfig(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const context = await contextOf(request);
  const found = await getConfig(context, splitUrl(request.url).path.split('/').at(-1) ?? '');
  const text = JSON.stringify({
    success: true,
    data: {
      id: found._id,
      name: found.name,
      slug: found.slug,
      organisation_id: found.organisationId,
      workspace_id: found.workspaceId,
      is_default: found.isDefault,
      status: found.status,
      owner_id: found.ownerId,
      updated_by: found.updatedBy,
      created_at: found.createdAt,
      last_updated_at: found.lastUpdatedAt,
      config: maskConfig(found.config, secrets, found._id),
      version_id: found.versionId,
    },
  });
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
  response.end(text);
}

const listening = (server: Server, port: number | undefined) =>
  new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));

const apollo = new ApolloServer<GraphContext>({ schema });
await apollo.start();
const app = express();
app.use('/graphql', express.json(), expressMiddleware(apollo, { context: ({ req }) => contextOf(req) }));
await listening(createServer(app), graphPort);
await listening(
  createServer((request, response) => {
    answerConfig(request, response).catch(() => response.destroy());
  }),
  restPort,
);
process.send?.('ready');
