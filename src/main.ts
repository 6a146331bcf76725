import { type Bootstrap, bootstrap } from '../seeds/bootstrap.ts';
import { createApp } from './app.ts';
import { createLogger, type Logger } from './lib/logger.ts';
import { close, createHttpServer, listen, openSubgraphListener } from './server.ts';
import { localUrl, readSettings, type Settings, SettingsError } from './settings.ts';
import { openStorage } from './storage/connection.ts';
import { loadMasterKey } from './storage/master-key.ts';
import { createSecrets } from './storage/secrets.ts';

const started = performance.now();

/** Settings -> storage -> app -> listen; stopping runs the same list backwards. */
async function main(): Promise<void> {
  const settings = readSettings();
  const log = createLogger(settings.logLevel);
  const storage = await openStorage(settings.storage);
  const { dataDirectory, encryptionKey } = settings.storage;
  const secrets = createSecrets(await loadMasterKey(dataDirectory, encryptionKey));
  const app = createApp({ settings, storage, secrets, log });
  await app.start();
  const server = createHttpServer(app.handle, app.handleUpgrade);
  const port = await listen(server, settings.listen.host, settings.listen.port);
  const url = localUrl(settings.listen.host, port);
  const routers = app.subgraphListener && (await openSubgraphListener(app.subgraphListener));
  const seeded = await bootstrap({
    db: storage.db,
    secrets,
    dataDirectory,
    url,
    serviceAccountDomain: settings.identity.serviceAccountDomain,
  });

  stopOnSignal(log, settings.shutdownTimeout + FINAL_WRITES, async () => {
    const servers = routers ? [server, routers.server] : [server];
    const closed = servers.map((open) => close(open, settings.shutdownTimeout));
    await Promise.all([app.endSubscriptions(), ...closed]);
    await app.stop();
    await storage.stop();
  });
  greet(settings, { main: url, subgraphs: routers?.url }, storage.description, seeded);
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
  { main: url, subgraphs }: { main: string; subgraphs: string | undefined },
  storage: string,
  seeded: Bootstrap | null,
): void {
  const lines = [
    `Sluice is ready at ${url} (${Math.round(performance.now() - started)} ms, ${storage})`,
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

main().catch((error: unknown) => {
  const text = error instanceof SettingsError ? error.message : `Sluice could not start: ${explain(error)}`;
  process.stderr.write(`${text}\n`);
  process.exit(1);
});

function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE')
    return `${error.message}. Set PORT to another one.`;
  return error.message;
}
