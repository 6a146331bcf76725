import cluster from 'node:cluster';
import { join } from 'node:path';
import { type Bootstrap, bootstrap } from '../seeds/bootstrap.ts';
import { house } from './assembly/house.ts';
import { createLogger, type Logger } from './lib/logger.ts';
import { type Addresses, startService } from './process/service.ts';
import { drainDelay, stopOnSignal } from './process/stop-on-signal.ts';
import { keepTickShape } from './process/tick-shape.ts';
import {
  announce,
  announceAddresses,
  permission,
  startWorkers,
  WorkerFailedError,
} from './process/workers.ts';
import { readSettings, type Settings, SettingsError } from './settings/index.ts';
import { openStorage, type Storage } from './storage/connection.ts';
import { recogniseInstallation } from './storage/installation.ts';
import { loadMasterKey, readMasterKey } from './storage/master-key.ts';
import { createSecrets } from './storage/secrets.ts';
import { lacksOwner, makeSetUpLink, setUpLinkTo } from './subgraphs/identity/sign-in-link/index.ts';

const started = performance.now();

// Small buffers share a slab, and the last of them keeps all of it: of requests that are open for minutes, most of 64 kB each.
Buffer.poolSize = 8 * 1024;
keepTickShape();

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
  const permitted = permission();
  const prepare = (addresses: Addresses) => {
    announceAddresses(addresses);
    return permitted;
  };
  const service = await startService({ settings, storage, secrets, log, prepare, listensFirst: false });
  // The signal may come twice: to all processes of a group, and from the one that watches over this one.
  stopOnSignal({ settings, storage, log, insists: false }, (signal) =>
    service.stop(drainDelay(settings, signal)),
  );
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
  const stopping = { settings, storage, log, insists: true };
  let addresses: Addresses;
  if (settings.workers > 1) {
    const workers = await startWorkers({ count: settings.workers, databaseUri: storage.uri, log, prepare });
    stopOnSignal(stopping, (signal) => workers.stop(signal));
    addresses = workers.addresses;
  } else {
    const service = await startService({ settings, storage, secrets, log, prepare, listensFirst: true });
    stopOnSignal(stopping, (signal) => service.stop(drainDelay(settings, signal)));
    addresses = service.addresses;
  }
  const { publicUrl } = settings.identity;
  const maker = { db: storage.db, secrets, now: () => new Date() };
  const setUp = settings.console.isOn ? await consoleLine(maker, publicUrl ?? addresses.main) : null;
  greet(settings, addresses, storage.description, { seeded, setUp });
}

/** Where the console is; while nobody owns the installation, how somebody comes to own it. */
async function consoleLine(maker: Parameters<typeof makeSetUpLink>[0], address: string): Promise<string> {
  // What is no terminal is a file or a collector of logs, where a secret shall not stand.
  if (!process.stdout.isTTY) {
    const hint = (await lacksOwner(maker.db))
      ? '   (`npm run console:link` makes a link for the first owner)'
      : '';
    return `${address}/console/${hint}`;
  }
  const secret = await makeSetUpLink(maker);
  return secret ? `${setUpLinkTo(address, secret)}   (once, 15 minutes)` : `${address}/console/`;
}

function greet(
  settings: Settings,
  { main: url, subgraphs }: Addresses,
  storage: string,
  { seeded, setUp }: { seeded: Bootstrap | null; setUp: string | null },
): void {
  const lines = [
    `Sluice is ready at ${url} (${Math.round(performance.now() - started)} ms, ${workersText(settings)}${storage})`,
    '',
    `  Inference   ${url}/v1`,
    `  Graph       ${url}/graphql   (explorer without internet: ${url}/explorer)`,
    `  REST        ${url}/reference`,
    `  Health      ${url}/healthz  ${url}/readyz  ${url}/metrics`,
  ];
  if (setUp !== null) lines.push(`  Console     ${setUp}`);
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
