// Reads secrets of a real OpenBao, or Vault, by a real gateway: with a token, AppRole and as a pod, out of key-value engines of
// both versions, with a policy that allows the paths of the API alone. A value that is rotated there must reach the model
// provider, and no value may be in what the gateway prints or stores.
//
// The program is the one that OPENBAO names, else `bao` or `vault` in PATH; without one, nothing is proven, which is an error
// with REQUIRE_OPENBAO=1. The model provider and the cluster that knows the pod are servers of this program.
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startProcess } from '../test/support/process.ts';
import { startProvider } from '../test/support/provider.ts';
import { keyOf, NEW, OLD, taking } from '../test/support/secret-managers/rotation.ts';
import { startOpenBao } from './prove-openbao/server.ts';
import { clusterOf, furnish, type Logins, NAMESPACE, POD_ROLE, podToken } from './prove-openbao/world.ts';

/** Milliseconds in which a rotated value must have reached the provider. */
const PATIENCE_MS = 30_000;

const program = [process.env.OPENBAO ?? '', 'bao', 'vault'].find((name) => {
  try {
    return name !== '' && execFileSync(name, ['version'], { stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    return false;
  }
});
if (program === undefined) {
  console.log('There is no OpenBao and no Vault here (OPENBAO=<program> names one): nothing was proven.');
  process.exit(process.env.REQUIRE_OPENBAO ? 1 : 0);
}

const directory = await mkdtemp(join(tmpdir(), 'sluice-prove-openbao-'));
const stops: (() => Promise<unknown>)[] = [() => rm(directory, { recursive: true, force: true })];
let wrong = 0;
const expect = (what: string, found: unknown, wanted: unknown) => {
  const isRight = JSON.stringify(found) === JSON.stringify(wanted);
  console.log(`${isRight ? 'yes' : 'NO '}  ${what}${isRight ? '' : `: ${JSON.stringify(found)}`}`);
  if (!isRight) wrong++;
};

async function prove(program: string): Promise<void> {
  const pod = podToken();
  const cluster = await startProvider();
  clusterOf(cluster, pod);
  const provider = await startProvider();
  const openBao = await startOpenBao(program);
  stops.push(cluster.stop, provider.stop, openBao.stop);
  const logins = await furnish(openBao, OLD, { cluster });
  await openBao.call('POST', `sys/namespaces/${NAMESPACE}`, {});
  const inside = await furnish(openBao, OLD, { namespace: NAMESPACE });

  const podFile = join(directory, 'pod');
  await writeFile(podFile, pod);
  const data = join(directory, 'data');
  const gateway = await startProcess(data, {
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    LOG_LEVEL: 'debug',
    TRUSTED_HOSTS: '127.0.0.1',
    SECRET_IDENTITY_HOSTS: '127.0.0.1',
    KUBERNETES_TOKEN_FILE: podFile,
    SECRET_REFRESH_SECONDS: '1',
  });
  stops.push(() => gateway.kill('SIGTERM'));
  const seeds = JSON.parse(await readFile(join(data, 'bootstrap.json'), 'utf8'));
  const send = async (path: string, key: string, body: object) => {
    const headers = { 'x-gateway-api-key': key, 'content-type': 'application/json' };
    const answer = await fetch(gateway.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    return { status: answer.status, text: await answer.text() };
  };
  const make = async <T>(path: string, body: object): Promise<T> => {
    const { status, text } = await send(path, seeds.admin_api_key, body);
    if (status !== 200) throw new Error(`${path} was answered with ${status}: ${text}`);
    return JSON.parse(text) as T;
  };
  const makeReference = async (auth: object, path: string): Promise<string> => {
    const { slug } = await make<{ slug: string }>('/v1/secret-references', {
      name: 'OpenBao',
      manager_type: 'hashicorp_vault',
      auth_config: { ...auth, vault_addr: openBao.address },
      secret_path: path,
      secret_key: 'key',
    });
    return slug;
  };
  const outcomeOf = async (id: string): Promise<string> => {
    const query = 'mutation ($id: ID!) { testSecretReference(id: $id) { outcome } }';
    type Tried = { data: { testSecretReference: { outcome: string } } };
    const { data } = await make<Tried>('/graphql', { query, variables: { id } });
    return data.testSecretReference.outcome;
  };
  const tried = async (auth: object, path: string) => outcomeOf(await makeReference(auth, path));

  const byAppRole = ({ approle: { role, secret } }: Logins) => ({
    vault_auth_type: 'approle',
    vault_role_id: role,
    vault_secret_id: secret,
  });
  const ways = {
    'a token': { vault_auth_type: 'token', vault_token: logins.token },
    AppRole: byAppRole(logins),
    'a pod': { vault_auth_type: 'kubernetes', vault_role: POD_ROLE },
    'AppRole in a namespace': { ...byAppRole(inside), vault_namespace: NAMESPACE },
  };
  for (const [way, auth] of Object.entries(ways)) {
    for (const path of ['secret/data/openai', 'secret/openai', 'kv1/openai'])
      expect(`${path} is found by ${way}`, await tried(auth, path), 'found');
    for (const path of ['secret/data/nothing', 'secret/nothing', 'kv1/nothing'])
      expect(`${path} is missing for ${way}`, await tried(auth, path), 'missing');
    expect(`secret/closed is closed to ${way}`, await tried(auth, 'secret/closed'), 'denied');
  }
  const wrongSecret = { ...ways.AppRole, vault_secret_id: 'wrong' };
  expect('a wrong secret id is refused', await tried(wrongSecret, 'secret/openai'), 'denied');
  const wrongToken = { ...ways['a token'], vault_token: 'hvs.wrong' };
  expect('a wrong token is refused', await tried(wrongToken, 'secret/openai'), 'denied');
  await openBao.call('POST', 'sys/leases/revoke-prefix/auth/approle');
  expect('a revoked login is made anew', await tried(ways.AppRole, 'secret/openai'), 'found');

  await make('/v1/integrations', {
    name: 'Proven',
    slug: 'proven',
    ai_provider_id: 'openai',
    configurations: { custom_host: provider.url },
    secret_mappings: [
      { target_field: 'key', secret_reference_id: await makeReference(ways.AppRole, 'secret/openai') },
    ],
    workspace_id: seeds.workspace_id,
  });
  const chat = async (): Promise<number> => {
    const messages = [{ role: 'user', content: 'hello' }];
    const body = { model: '@proven/gpt-test', messages };
    return (await send('/v1/chat/completions', seeds.workspace_api_key, body)).status;
  };
  let taken = OLD;
  provider.play(taking(() => taken));
  expect('a call goes out with the value', await chat(), 200);
  await openBao.call('POST', 'secret/data/openai', { data: { key: NEW } });
  taken = NEW;
  expect('no call fails when the provider takes the next value alone', await chat(), 200);
  expect('the provider has the next value', provider.requests.map(keyOf).at(-1), NEW);
  await openBao.call('DELETE', 'secret/data/openai');
  const deadline = Date.now() + PATIENCE_MS;
  while ((await chat()) === 200 && Date.now() < deadline) await sleep(200);
  expect('a deleted version is used no more', await chat(), 503);

  await gateway.kill('SIGTERM');
  const texts = [gateway.output()];
  for (const file of await readdir(data, { recursive: true, withFileTypes: true }))
    if (file.isFile()) texts.push(await readFile(join(file.parentPath, file.name), 'latin1'));
  const secrets = [OLD, NEW, logins.token, logins.approle.secret, inside.approle.secret, pod];
  const places = texts.filter((text) => secrets.some((secret) => text.includes(secret))).length;
  expect('no value and no credential is printed or stored', places, 0);
}

try {
  await prove(program);
  console.log(wrong === 0 ? 'All of it holds.' : `${wrong} of it do not hold.`);
  process.exitCode = wrong === 0 ? 0 : 1;
} finally {
  for (const stop of stops.reverse()) await stop();
}
