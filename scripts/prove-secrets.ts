// Rotates a secret in its manager while two processes of one installation serve 200 inference requests a second with it. The
// provider takes the old value until the rotation, and the new one alone from then on. No request may fail, the provider
// may see no old value at the end, and neither value may be on disk, in the database or in what the processes print.
//
// The manager and the provider are servers of this program; the manager answers as Vault does.
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { startEmbedded } from '../src/storage/embedded/index.ts';
import { type SluiceProcess, startProcess } from '../test/support/process.ts';
import { type ReceivedRequest, startProvider } from '../test/support/provider.ts';
import { keyOf, NEW, OLD, taking } from '../test/support/secret-managers/rotation.ts';
import { TOKEN, vaultServer } from '../test/support/secret-managers/vault.ts';

const PER_SECOND = 200;
const BEFORE_MS = 4000;
const AFTER_MS = 5000;
/** Requests at the end that must all have the new value: half a second of the load. */
const LAST = 100;

const directory = await mkdtemp(join(tmpdir(), 'sluice-prove-secrets-'));
const store = await startEmbedded({ directory: join(directory, 'store'), databaseName: 'sluice' });
const env = {
  MONGODB_URI: store.uri,
  ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  LOG_LEVEL: 'debug',
};
const vault = vaultServer();
vault.secrets.set('secret/openai', { key: OLD });
const manager = await startProvider();
manager.play(vault.script);
const provider = await startProvider();
let taken = OLD;
const seen: { key: string; at: number }[] = [];
const answer = taking(() => taken);
provider.play((request: ReceivedRequest, response, raw) => {
  seen.push({ key: keyOf(request), at: Date.now() });
  return answer(request, response, raw);
});
const running: SluiceProcess[] = [];

async function post(url: string, key: string, body: object): Promise<number> {
  const headers = { 'x-gateway-api-key': key, 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  await response.arrayBuffer();
  return response.status;
}

const chat = (url: string, key: string): Promise<number> =>
  post(`${url}/v1/chat/completions`, key, {
    model: '@proven/gpt-test',
    messages: [{ role: 'user', content: 'hello' }],
  });

async function setUp(url: string, adminKey: string, workspace: string): Promise<void> {
  const reference = {
    name: 'Vault',
    slug: 'vault',
    manager_type: 'hashicorp_vault',
    auth_config: { vault_auth_type: 'token', vault_addr: manager.url.replace('/v1', ''), vault_token: TOKEN },
    secret_path: 'secret/data/openai',
    secret_key: 'key',
  };
  const integration = {
    name: 'Proven',
    slug: 'proven',
    ai_provider_id: 'openai',
    configurations: { custom_host: provider.url },
    secret_mappings: [{ target_field: 'key', secret_reference_id: 'vault' }],
    workspace_id: workspace,
  };
  for (const [path, body] of [
    ['secret-references', reference],
    ['integrations', integration],
  ] as const) {
    const status = await post(`${url}/v1/${path}`, adminKey, body);
    if (status !== 200) throw new Error(`${path} answered ${status}.`);
  }
}

/** Sends requests to the processes in turn until `stop` says so; answers the statuses, 0 for no answer. */
async function load(key: string, stop: () => boolean): Promise<number[]> {
  const statuses: Promise<number>[] = [];
  const startedAt = performance.now();
  while (!stop()) {
    const due = Math.floor(((performance.now() - startedAt) / 1000) * PER_SECOND);
    for (; statuses.length < due; ) {
      const url = running[statuses.length % running.length]?.url ?? '';
      statuses.push(chat(url, key).catch(() => 0));
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return Promise.all(statuses);
}

/** Names of the places where a value stands. */
async function placesOf(values: readonly string[]): Promise<string[]> {
  const texts = new Map(running.map(({ output }, index) => [`output ${index}`, output()]));
  const client = await MongoClient.connect(store.uri);
  for (const { name } of await client.db().listCollections().toArray())
    texts.set(`collection ${name}`, JSON.stringify(await client.db().collection(name).find({}).toArray()));
  await client.close();
  for (const file of await readdir(directory, { recursive: true, withFileTypes: true }))
    if (file.isFile()) {
      const path = join(file.parentPath, file.name);
      texts.set(path, await readFile(path, 'latin1').catch(() => ''));
    }
  return [...texts].filter(([, text]) => values.some((value) => text.includes(value))).map(([name]) => name);
}

try {
  for (const name of ['one', 'two']) running.push(await startProcess(join(directory, name), env));
  const bootstrap = JSON.parse(await readFile(join(directory, 'one/bootstrap.json'), 'utf8'));
  await setUp(running[0]?.url ?? '', bootstrap.admin_api_key, bootstrap.workspace_id);
  // Each process reads the secret at its first use.
  for (const { url } of running) {
    const status = await chat(url, bootstrap.workspace_api_key);
    if (status !== 200) throw new Error(`The first call of ${url} was answered with ${status}.`);
  }
  let rotatedAt = Number.POSITIVE_INFINITY;
  setTimeout(() => {
    vault.secrets.set('secret/openai', { key: NEW });
    taken = NEW;
    rotatedAt = Date.now();
  }, BEFORE_MS);
  const startedAt = Date.now();
  const statuses = await load(bootstrap.workspace_api_key, () => Date.now() - rotatedAt > AFTER_MS);
  const seconds = (Date.now() - startedAt) / 1000;
  const failed = statuses.filter((status) => status !== 200);
  const refused = seen.filter(({ key, at }) => key === OLD && at >= rotatedAt);
  const late = seen.slice(-LAST).filter(({ key }) => key === OLD);
  const renewed = seen.filter(({ key }) => key === NEW).length;
  await new Promise((resolve) => setTimeout(resolve, 1500));
  const places = await placesOf([OLD, NEW]);
  console.log(
    `${statuses.length} requests in ${Math.round(seconds)} s to two processes, ${failed.length} failed; ` +
      `${refused.length} were sent with the old value after the rotation, the last ` +
      `${Math.max(0, ...refused.map(({ at }) => at - rotatedAt))} ms after it; ${renewed} with the new one; ` +
      `the manager was asked ${manager.requests.length} times.`,
  );
  if (failed.length > 0) console.error(`Statuses: ${[...new Set(failed)].join(', ')}`);
  if (places.length > 0) console.error(`A value stands in ${places.join(', ')}.`);
  if (late.length > 0) console.error(`${late.length} of the last requests had the old value.`);
  const isLoaded = statuses.length >= 0.95 * seconds * PER_SECOND;
  if (!isLoaded) console.error(`The load did not reach ${PER_SECOND} requests a second.`);
  const isRight = failed.length === 0 && late.length === 0 && places.length === 0 && renewed > 0;
  process.exitCode = isRight && isLoaded ? 0 : 1;
} finally {
  await Promise.all(running.map((sluice) => sluice.kill('SIGTERM')));
  await Promise.all([manager.stop(), provider.stop()]);
  await store.stop();
  await rm(directory, { recursive: true, force: true });
}
