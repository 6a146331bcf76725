import { allSettings } from '../providers/index.ts';
import { nameOfKey } from './spelling.ts';

/** Whether a key of a config, in either spelling, holds a credential. */
export function isSecretKey(key: string): boolean {
  const name = nameOfKey(key);
  return name === 'api_key' || allSettings.get(name)?.secret === true;
}

/** Whether a key of a config, in either spelling, decides where a credential beside it goes. */
export function isDestinationKey(key: string): boolean {
  const name = nameOfKey(key);
  if (name === 'provider' || name === 'custom_host') return true;
  const setting = allSettings.get(name);
  return setting !== undefined && !setting.secret && !setting.byRequest;
}

/** A copy without credentials, at any depth. */
export function configWithoutSecrets(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(configWithoutSecrets);
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, member]) =>
      isSecretKey(key) ? [] : [[key, configWithoutSecrets(member)]],
    ),
  );
}
