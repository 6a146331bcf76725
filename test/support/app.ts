import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Connection } from 'mongoose';
import { newAccount, seedTenant } from '../../seeds/bootstrap.ts';
import { createApp } from '../../src/assembly/app.ts';
import type { AppDependencies } from '../../src/assembly/app-contract.ts';
import { house } from '../../src/assembly/house.ts';
import type { Sleep } from '../../src/auth/index.ts';
import { close, createHttpServer, listen, openSubgraphListener } from '../../src/http/server.ts';
import type { ArrivalLimits } from '../../src/lib/bodies/index.ts';
import { uuid } from '../../src/lib/ids.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { readSettings } from '../../src/settings/index.ts';
import { openStorage } from '../../src/storage/connection.ts';
import { createSecrets } from '../../src/storage/secrets.ts';
import { sharedDatabase, type TestDatabase, testDatabase } from './database.ts';
import { startHostedLog } from './worker/log-host.ts';

export type Tenant = {
  organisationId: string;
  workspaceId: string;
  adminKey: string;
  workspaceKey: string;
  tsgId: string;
  /** Of the service account that may do everything in the tenant. */
  clientId: string;
  clientSecret: string;
};

export type Answer = { status: number; body: unknown; headers: Headers };

export type TestApp = Tenant & {
  url: string;
  /** Where the listener for federation routers answers, when there is one. */
  routersUrl: string | null;
  db: Connection;
  /** Of the same database, for another app. */
  databaseUri: string;
  /** A further organisation with a workspace, keys and the mock provider of its own. */
  createTenant(organisationId?: string): Promise<Tenant>;
  /** A REST call; `path` includes its base, e.g. `/v1/configs`. The body is parsed JSON, or text when it is not JSON. */
  rest(method: string, path: string, options?: RestOptions): Promise<Answer>;
  /** An access token, got over HTTP; of the app's own service account and tenant unless others are named. */
  token(account?: Partial<Pick<Tenant, 'tsgId' | 'clientId' | 'clientSecret'>>): Promise<string>;
  graphql(query: string, variables?: object, key?: string): Promise<GraphAnswer>;
  /** Waits until every request that was answered is in the log. */
  logged(): Promise<void>;
  stop(): Promise<void>;
};

export type RestOptions = { key?: string | null; body?: unknown; headers?: Record<string, string> };

export type GraphAnswer = {
  status: number;
  data: any;
  errors?: { message: string; extensions: any; path?: unknown[] }[];
};

type AppOptions = Pick<AppDependencies, 'now' | 'hostedTools'> & {
  env?: Record<string, string>;
  /** How answers to wrong credentials and repeated attempts wait: not at all, unless a test is about that. */
  sleep?: Sleep;
  arrivalLimits?: ArrivalLimits;
  /** Whether the console's graph runs the documents of CONSOLE_DIR alone; it runs any where this is left out. */
  hasConsole?: boolean;
};

/**
 * A built app on a port of its own, over a database of its own. With a DATA_DIR, or an empty MONGODB_URI, it has an embedded
 * store of its own in its directory.
 */
export const startApp = (
  env?: Record<string, string>,
  sleep?: Sleep,
  now?: () => Date,
  arrivalLimits?: ArrivalLimits,
): Promise<TestApp> => startAppWith({ env, sleep, now, arrivalLimits });

export async function startAppWith({
  env = {},
  sleep = async () => undefined,
  now,
  arrivalLimits,
  hostedTools,
  hasConsole = false,
}: AppOptions): Promise<TestApp> {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-test-'));
  const database = await databaseOf(env);
  const settings = readSettings(
    {
      HOST: '127.0.0.1',
      PORT: '0',
      DATA_DIR: directory,
      LOG_LEVEL: 'silent',
      MONGODB_URI: database?.uri,
      ...env,
    },
    house,
  );
  const storage = await openStorage(settings.storage);
  const secrets = createSecrets(settings.storage.encryptionKey ?? randomBytes(32));
  const log = createLogger(settings.logLevel);
  const app = createApp({
    settings,
    storage,
    secrets,
    log,
    sleep,
    now,
    hostedTools,
    startLogWorker: startHostedLog,
    ...(hasConsole ? {} : { consoleDocuments: null }),
  });
  await app.start();
  const server = createHttpServer(app.handle, app.handleUpgrade, arrivalLimits);
  const port = await listen(server, settings.listen.host, settings.listen.port);
  const url = `http://127.0.0.1:${port}`;
  app.listensOn(port);
  const routers = app.subgraphListener && (await openSubgraphListener(app.subgraphListener));
  if (routers) app.listensOn(routers.port);

  async function createTenant(organisationId = uuid()): Promise<Tenant> {
    const account = newAccount(secrets);
    const tenant = {
      organisationId,
      workspaceId: uuid(),
      adminKey: secrets.generateKey(),
      workspaceKey: secrets.generateKey(),
      tsgId: account.tsg_id,
      clientId: account.client_id,
      clientSecret: account.client_secret,
    };
    const seed = {
      organisation_id: tenant.organisationId,
      workspace_id: tenant.workspaceId,
      admin_api_key: tenant.adminKey,
      workspace_api_key: tenant.workspaceKey,
      ...account,
    };
    await seedTenant(storage.db, secrets, seed, settings.identity.serviceAccountDomain);
    return tenant;
  }

  const tenant = await createTenant();

  async function rest(method: string, path: string, options: RestOptions = {}): Promise<Answer> {
    const { key = tenant.workspaceKey, body, headers = {} } = options;
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(key !== null && { 'x-gateway-api-key': key }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      body: body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body),
    });
    return { status: response.status, body: parse(await response.text()), headers: response.headers };
  }

  return {
    ...tenant,
    url,
    routersUrl: routers?.url ?? null,
    db: storage.db,
    databaseUri: storage.uri,
    createTenant,
    rest,
    async token({
      tsgId = tenant.tsgId,
      clientId = tenant.clientId,
      clientSecret = tenant.clientSecret,
    } = {}) {
      const response = await fetch(`${url}/oauth2/access_token`, {
        method: 'POST',
        headers: { authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}` },
        body: new URLSearchParams({ grant_type: 'client_credentials', scope: `tsg_id:${tsgId}` }),
      });
      const answer = (await response.json()) as { access_token?: string };
      if (!answer.access_token) throw new Error(`No access token: ${JSON.stringify(answer)}`);
      return answer.access_token;
    },
    async graphql(query, variables = {}, key = tenant.adminKey) {
      const { status, body } = await rest('POST', '/graphql', { key, body: { query, variables } });
      return { status, ...(body as Omit<GraphAnswer, 'status'>) };
    },
    logged: () => app.settle(),
    async stop() {
      await Promise.all([app.endSubscriptions(), close(server, 0)]);
      if (routers) await close(routers.server, 0);
      await app.stop();
      await storage.stop();
      await database?.drop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function databaseOf({ MONGODB_URI, DATA_DIR }: Record<string, string>): Promise<TestDatabase | null> {
  if (MONGODB_URI !== undefined) return null;
  return DATA_DIR === undefined ? await sharedDatabase() : testDatabase();
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
