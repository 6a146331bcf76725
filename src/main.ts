import cluster from 'node:cluster';
import { type Bootstrap, bootstrap } from '../seeds/bootstrap.ts';
import { createLogger, type Logger } from './lib/logger.ts';
import { type Addresses, startService } from './service.ts';
import { readSettings, type Settings, SettingsError } from './settings.ts';
import { openStorage } from './storage/connection.ts';
import { loadMasterKey } from './storage/master-key.ts';
import { createSecrets } from './storage/secrets.ts';
import { announce, startWorkers, WorkerFailedError } from './workers.ts';

const started = performance.now();

/** Settings -> storage -> service, or the workers that are its processes; stopping runs the same list backwards. */
async function main(): Promise<void> {
  const settings = readSettings();
  const log = createLogger(settings.logLevel);
  const storage = await openStorage(settings.storage);
  const { dataDirectory, encryptionKey } = settings.storage;
  const secrets = createSecrets(await loadMasterKey(dataDirectory, encryptionKey));
  const running =
    settings.workers > 1 && cluster.isPrimary
      ? await startWorkers(settings.workers, storage.uri, log)
      : await startService({ settings, storage, secrets, log });
  stopOnSignal(log, settings.shutdownTimeout + FINAL_WRITES, async () => {
    await running.stop();
    await storage.stop();
  });
  const { addresses } = running;
  if (cluster.isWorker) {
    announce(addresses);
    return;
  }
  const seeded = await bootstrap({
    db: storage.db,
    secrets,
    dataDirectory,
    url: addresses.main,
    serviceAccountDomain: settings.identity.serviceAccountDomain,
  });
  greet(settings, addresses, storage.description, seeded);
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
    lines.push(
      `  Keys        ${settings.storage.dataDirectory}/bootstrap.json`,
      '',
      'Try it:',
      '',
      `  curl -N ${seeded.base_url}/chat/completions -H 'authorization: Bearer ${seeded.workspace_api_key}' -H 'content-type: application/json' -d '{"model":"@mock/mock-1","stream":true,"messages":[{"role":"user","content":"Hello from Sluice"}]}'`,
    );
  }
  process.stdout.write(`${lines.join('\n')}\n\n`);
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
