import type { Provider } from './provider.ts';

const known = new WeakMap<Provider, ReadonlySet<string>>();

/** Names of a provider's settings that have a say in the address to which its credential goes. */
export function hostSettings(provider: Provider): ReadonlySet<string> {
  let names = known.get(provider);
  if (!names) {
    names = new Set([...addresses(provider), ...readFor(provider, 'x'), ...readFor(provider, undefined)]);
    known.set(provider, names);
  }
  return names;
}

const addresses = ({ settings }: Provider): string[] =>
  Object.keys(settings).filter((name) => settings[name]?.address);

/** The settings that are looked at where the address follows from settings; all of them have the value `value`. */
function readFor({ baseUrl }: Provider, value: string | undefined): Set<string> {
  const names = new Set<string>();
  if (typeof baseUrl === 'function')
    baseUrl(
      new Proxy({} as Record<string, string>, {
        get(_settings, name) {
          names.add(String(name));
          return value;
        },
      }),
    );
  return names;
}
