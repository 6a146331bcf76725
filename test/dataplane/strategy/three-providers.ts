import { chatAnswer, json, type ScriptedProvider, startProvider } from '../../support/provider.ts';
import { type CallOptions, messages, type RawAnswer, startWorld, type World } from '../../support/world.ts';

export type ThreeProviders = {
  world: World;
  /** They answer with their number. */
  providers: ScriptedProvider[];
  /** Makes provider n answer with the n-th status, and forgets what reached them. */
  answer(...statuses: number[]): void;
  /** Requests that reached each of them. */
  reached(): number[];
  /** The JSON body that reached provider n. */
  sent(index: number): any;
  /** A chat request with this config. */
  call(config: unknown, options?: CallOptions): Promise<RawAnswer>;
  stop(): Promise<void>;
};

/** A config target that leads to provider n. */
export const target = (index: number, rest: object = {}) => ({ provider: `@loop-${index + 1}`, ...rest });

export const fallback = (targets: unknown[], rest: object = {}) => ({
  strategy: { mode: 'fallback', ...rest },
  targets,
});

/** An app with three scripted providers in its catalogue. */
export async function startThreeProviders(): Promise<ThreeProviders> {
  const world = await startWorld();
  const providers = [world.provider, await startProvider(), await startProvider()];
  for (const provider of providers.slice(1)) {
    await world.makeProvider({ configurations: { custom_host: provider.url } });
  }
  return {
    world,
    providers,
    answer(...statuses) {
      statuses.forEach((status, index) => {
        providers[index]?.play(json(status, chatAnswer(`from ${index}`), { 'x-answered-by': String(index) }));
      });
    },
    reached: () => providers.map((provider) => provider.requests.length),
    sent: (index) => JSON.parse(providers[index]?.requests[0]?.body.toString() ?? 'null'),
    call: (config, options) => world.call({ config, body: { model: 'm', messages }, ...options }),
    async stop() {
      await Promise.all(providers.slice(1).map((provider) => provider.stop()));
      await world.stop();
    },
  };
}
