import { type ScriptedProvider, startProvider } from '../provider.ts';
import { messages, startWorld, type World } from '../world.ts';
import { makeReference, vaultInput } from './references.ts';
import { OLD } from './rotation.ts';
import { type VaultServer, vaultServer } from './vault.ts';

export type SecretWorld = {
  world: World;
  manager: ScriptedProvider;
  /** What the manager answers from; another one after each `reset`. */
  vault: VaultServer;
  reset(): void;
  /** A reference to `secret/data/openai`, member `key`, unless `change` says else. */
  reference(change?: object): Promise<{ id: string; slug: string }>;
  /** A provider whose key, unless `mappings` say else, is what the reference leads to; answers its slug. */
  providerOf(reference: { slug: string }, mappings?: object[]): Promise<string>;
  call(slug: string, headers?: Record<string, string>): ReturnType<World['call']>;
  /** Times that the manager was asked for the secret of the latest reference: each has an address of its own there. */
  reads(): number;
  stop(): Promise<void>;
};

/** A world with a Vault beside it, whose values are read anew each second or so, and serve for one more without it. */
export async function startSecretWorld(): Promise<SecretWorld> {
  const world = await startWorld({
    TRUSTED_HOSTS: '127.0.0.1',
    SECRET_REFRESH_SECONDS: '1',
    SECRET_LAST_GOOD_SECONDS: '1',
    SECRET_TIMEOUT_MS: '2000',
  });
  const manager = await startProvider();
  let count = 0;
  const self: SecretWorld = {
    world,
    manager,
    vault: vaultServer(),
    reset() {
      self.vault = vaultServer();
      self.vault.secrets.set('secret/openai', { key: OLD, organisation: 'org-kept' });
      manager.play(self.vault.script);
    },
    reference: (change = {}) =>
      makeReference(
        world.app,
        vaultInput(manager.url.replace('/v1', `/${++count}`), {
          secretKey: 'key',
          slug: `vault-${count}`,
          ...change,
        }),
        world.app.adminKey,
      ),
    providerOf: ({ slug }, mappings = [{ target_field: 'key' }]) =>
      world.makeProvider({
        key: undefined,
        secret_mappings: mappings.map((mapping) => ({ secret_reference_id: slug, ...mapping })),
      }),
    call: (slug, headers = {}) => world.call({ body: { model: `@${slug}/gpt-test`, messages }, headers }),
    reads: () => manager.requests.filter(({ url }) => url.startsWith(`/${count}/v1/secret`)).length,
    async stop() {
      await world.stop();
      await manager.stop();
    },
  };
  return self;
}

export const errorIn = (answer: { json: unknown }) =>
  (answer.json as { error: { code: string; message: string } }).error;
