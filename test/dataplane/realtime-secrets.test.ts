import { once } from 'node:events';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { WebSocket } from 'ws';
import { dump } from '../subgraphs/support.ts';
import { type RealtimeProvider, startRealtimeProvider } from '../support/realtime-provider.ts';
import { NEW, OLD } from '../support/secret-managers/rotation.ts';
import { type SecretWorld, startSecretWorld } from '../support/secret-managers/world.ts';

let secret: SecretWorld;
let provider: RealtimeProvider;
beforeAll(async () => {
  [secret, provider] = await Promise.all([startSecretWorld(), startRealtimeProvider()]);
});
afterAll(() => Promise.all([secret.stop(), provider.stop()]));
beforeEach(() => secret.reset());

async function makeProvider(): Promise<string> {
  const { slug } = await secret.reference();
  return secret.world.makeProvider({
    key: undefined,
    configurations: { custom_host: provider.url },
    secret_mappings: [{ target_field: 'key', secret_reference_id: slug }],
  });
}

/** 101 for a session, which is closed again, or the status of the refusal. */
async function open(slug: string): Promise<number> {
  const { app } = secret.world;
  const address = `${app.url.replace('http', 'ws')}/v1/realtime?model=@${slug}/gpt-realtime`;
  const caller = new WebSocket(address, { headers: { 'x-gateway-api-key': app.workspaceKey } });
  const refused = once(caller, 'unexpected-response').then(([, response]) => response.statusCode as number);
  const opened = once(caller, 'message').then(() => 101);
  const status = await Promise.race([opened, refused]);
  // What does not happen rejects with the error of the closing.
  for (const other of [opened, refused]) other.catch(() => undefined);
  caller.on('error', () => undefined);
  caller.terminate();
  return status;
}

it('a session is opened with a newer value where the provider refuses the one in memory', async () => {
  const slug = await makeProvider();
  provider.takeOnly(OLD);
  expect(await open(slug)).toBe(101);
  secret.vault.secrets.set('secret/openai', { key: NEW });
  provider.takeOnly(NEW);
  const sessions = await Promise.all([open(slug), open(slug), open(slug)]);
  expect(sessions).toEqual([101, 101, 101]);
  await secret.world.app.logged();
  const written = await dump(secret.world.app);
  expect(written).not.toContain(OLD);
  expect(written).not.toContain(NEW);
});

it('without a newer value the refusal goes to the caller, and the manager is left in peace', async () => {
  const slug = await makeProvider();
  provider.takeOnly('another');
  for (let turn = 0; turn < 5; turn++) expect(await open(slug)).toBe(401);
  expect(secret.reads()).toBeLessThanOrEqual(3);
});
