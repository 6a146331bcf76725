import cluster from 'node:cluster';
import { join } from 'node:path';
import { type Bootstrap, bootstrap } from '../seeds/bootstrap.ts';
import { house } from './assembly/house.ts';
import { createLogger, type Logger } from './lib/logger.ts';
import { type Addresses, type Service, startService } from './process/service.ts';
import { announce, permission, startWorkers, WorkerFailedError, type Workers } from './process/workers.ts';
import { readSettings, type Settings, SettingsError } from './settings/index.ts';
import { openStorage, type Storage } from './storage/connection.ts';
import { recogniseInstallation } from './storage/installation.ts';
import { loadMasterKey, readMasterKey } from './storage/master-key.ts';
import { createSecrets } from './storage/secrets.ts';

const started = performance.now();

/** Settings -> storage -> service, or the workers that are its processes; stopping runs the same list backwards. */
async function main(): Promise<void> {
  const settings = readSettings(undefined, house);
  const log = createLogger(settings.logLevel);
  const storage = await openStorage(settings.storage);
  if (cluster.isWorker) await runWorker(settings, storage, log);
  else await runInstallation(settings, storage, log);
}

/** One of the processes that answer, on a database that the process above it has prepared. */
async function runWorker(settings: Settings, storage: Storage, log: Logger): Promise<void> {
  const { dataDirectory, encryptionKey } = settings.storage;
  const secrets = createSecrets(await readMasterKey(dataDirectory, encryptionKey));
  const service = await startService({ settings, storage, secrets, log, prepare: permission });
  stopWith(settings, storage, service, log);
  announce();
}

async function runInstallation(settings: Settings, storage: Storage, log: Logger): Promise<void> {
  const { dataDirectory, encryptionKey } = settings.storage;
  const installation = await recogniseInstallation(storage, dataDirectory);
  const secrets = createSecrets(await loadMasterKey(dataDirectory, encryptionKey, installation.isNew));
  let seeded: Bootstrap | null = null;
  /** Before anything is answered: who finds the service ready finds its tenant and its keys. */
  const prepare = async ({ main: url }: Addresses) => {
    const { serviceAccountDomain } = settings.identity;
    seeded = await bootstrap({ db: storage.db, secrets, dataDirectory, url, serviceAccountDomain });
    await installation.remember();
  };
  const running =
    settings.workers > 1
      ? await startWorkers({ count: settings.workers, databaseUri: storage.uri, log, prepare })
      : await startService({ settings, storage, secrets, log, prepare });
  stopWith(settings, storage, running, log);
  greet(settings, running.addresses, storage.description, seeded);
}

function stopWith(settings: Settings, storage: Storage, running: Service | Workers, log: Logger): void {
  stopOnSignal(log, settings.shutdownTimeout + FINAL_WRITES, async () => {
    await running.stop();
    await storage.stop();
  });
}

/** Milliseconds that writing the last records may take once no request is open. */
const FINAL_WRITES = 20_000;

function stopOnSignal(log: Logger, deadline: number, stop: () => Promise<void>): void {
  let stopping = false;
  const onSignal = (signal: NodeJS.Signals) => {
    // A second signal means now.
    if (stopping) process.exit(1);
    stopping = true;
    log.info({ signal }, 'Stopping.');
    setTimeout(() => {
      log.error('The stop took too long and was cut short.');
      process.exit(1);
    }, deadline).unref();
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ error }, 'The stop failed.');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}

function greet(
  settings: Settings,
  { main: url, subgraphs }: Addresses,
  storage: string,
  seeded: Bootstrap | null,
): void {
  const lines = [
    `Sluice is ready at ${url} (${Math.round(performance.now() - started)} ms, ${workersText(settings)}${storage})`,
    '',
    `  Inference   ${url}/v1`,
    `  Graph       ${url}/graphql   (explorer without internet: ${url}/explorer)`,
    `  REST        ${url}/reference`,
    `  Health      ${url}/healthz  ${url}/readyz  ${url}/metrics`,
  ];
  const { routerSecret } = settings.subgraphs;
  if (subgraphs || routerSecret) {
    lines.push(`  Subgraphs   ${subgraphs ?? url}/subgraphs/<name>/graphql   (for a federation router)`);
  }
  if (seeded) {
    const file = join(settings.storage.dataDirectory, 'bootstrap.json');
    // What is no terminal is a file or a collector of logs, where a key shall not stand.
    const key = process.stdout.isTTY ? seeded.workspace_api_key : readingKeyFrom(file);
    lines.push(
      `  Keys        ${file}`,
      '',
      'Try it:',
      '',
      `  curl -N ${seeded.base_url}/chat/completions -H "authorization: Bearer ${key}" -H 'content-type: application/json' -d '{"model":"@mock/mock-1","stream":true,"messages":[{"role":"user","content":"Hello from Sluice"}]}'`,
    );
  }
  process.stdout.write(`${lines.join('\n')}\n\n`);
}

/** In the place of the key within double quotes of a shell: a command that reads it. */
function readingKeyFrom(file: string): string {
  const name = `'${file.replace(/['\\]/g, '\\$&')}'`;
  return `$(node -p "require(${name.replace(/["$`\\]/g, '\\$&')}).workspace_api_key")`;
}

const workersText = ({ workers }: Settings): string => (workers > 1 ? `${workers} workers, ` : '');

main().catch((error: unknown) => {
  const text = error instanceof SettingsError ? error.message : `Sluice could not start: ${explain(error)}`;
  // A worker has said itself what was wrong.
  if (!(error instanceof WorkerFailedError)) process.stderr.write(`${text}\n`);
  process.exit(1);
});

function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE')
    return `${error.message}. Set PORT to another one.`;
  return error.message;
}
