import { GatewayError } from '../../../errors/index.ts';
import { destinationsOf, mapSecretParameters, pathOf } from '../../../guardrails/index.ts';
import { isGuardrailList, mapParameters } from '../../../routing-config/guardrails.ts';
import { isDestinationKey, isSecretKey } from '../../../routing-config/secret-keys.ts';
import { nameOfKey } from '../../../routing-config/spelling.ts';
import { maskSecret, type Secrets } from '../../../storage/secrets.ts';
import type { StoredConfig } from './model.ts';

const PREFIX = 'sealed:';

const looksMasked = (text: string) => text === '***' || /^.{3}\*{3}.{4}$/s.test(text);

/** A credential as text; that of a service account may be written as an object. */
function secretText(member: unknown): string | null {
  if (typeof member === 'object' && member !== null) return JSON.stringify(member);
  return typeof member === 'string' ? member : null;
}

type Change = (secret: string, path: string) => string;

/** A copy of a config in which every credential, at any depth, is what `change` makes of it. */
function mapSecrets<T>(value: T, change: Change, path = 'config'): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    return value.map((item, index) => mapSecrets(item, change, `${path}[${index}]`)) as T;
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const at = `${path}.${name}`;
      if (isGuardrailList(nameOfKey(name)) && Array.isArray(member))
        return [name, member.map((written, index) => mapGuardrail(written, change, `${at}[${index}]`))];
      const secret = isSecretKey(name) ? secretText(member) : null;
      return [name, secret === null ? mapSecrets(member, change, at) : change(secret, at)];
    }),
  ) as T;
}

/** The same of a guardrail that is written in a config. */
const mapGuardrail = (written: unknown, change: Change, path: string): unknown =>
  mapParameters(written, (id, parameters, below) =>
    mapSecretParameters(id, parameters, (secret, at) => change(secret, `${path}.${below}.${pathOf(at)}`)),
  );

/** The form that is stored: credentials encrypted for this config alone. */
export const sealConfig = (config: StoredConfig, secrets: Secrets, configId: string): StoredConfig =>
  mapSecrets(config, (secret) => PREFIX + secrets.encrypt(secret, configId));

/** The config in the clear, for the data plane. */
export const unsealConfig = (config: StoredConfig, secrets: Secrets, configId: string): StoredConfig =>
  mapSecrets(config, (sealed) =>
    sealed.startsWith(PREFIX) ? secrets.decrypt(sealed.slice(PREFIX.length), configId) : sealed,
  );

/** The config as administrators see it. */
export const maskConfig = (config: StoredConfig, secrets: Secrets, configId: string): StoredConfig =>
  mapSecrets(unsealConfig(config, secrets, configId), maskSecret);

/** Where credentials of a config may go: every host and provider that it or a check in it names, and what chooses a host. */
function destinations(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    if (isGuardrailList(nameOfKey(name)) && Array.isArray(member))
      return member.flatMap(destinationsOfChecks);
    return isDestinationKey(name) && typeof member === 'string' ? [member] : destinations(member);
  });
}

function destinationsOfChecks(written: unknown): string[] {
  const found: string[] = [];
  mapParameters(written, (id, parameters) => {
    found.push(...destinationsOf(id, parameters));
    return parameters;
  });
  return found;
}

const newDestinations = (config: StoredConfig, stored: StoredConfig | null): string[] => {
  const known = new Set(destinations(stored));
  return destinations(config).filter((place) => !known.has(place));
};

/** Stored credentials are write-only: a config that names a new destination must bring them, or it could read them. */
function mustBringKeys(path: string, places: string[]): GatewayError {
  const line = `path: ${path}, message: send the credential again, since the config names ${places[0]} for the first time`;
  return new GatewayError('INVALID_CONFIG', {
    message: `The gateway config is not valid: ${line}`,
    param: path.replace(/^config/, 'input.config'),
    errors: [line],
  });
}

/**
 * Puts the stored credentials back where an update sends their masks: the one at the same place, else the only one with
 * that mask. Throws INVALID_CONFIG for a mask that stands for no stored credential, or for several.
 */
export function restoreMasked(config: StoredConfig, stored: StoredConfig | null): StoredConfig {
  const byPath = new Map<string, string>();
  if (stored) {
    mapSecrets(stored, (secret, path) => {
      byPath.set(path, secret);
      return secret;
    });
  }
  const strangers = newDestinations(config, stored);
  return mapSecrets(config, (secret, path) => {
    if (!looksMasked(secret)) return secret;
    if (strangers.length > 0) throw mustBringKeys(path, strangers);
    const here = byPath.get(path);
    if (here !== undefined && maskSecret(here) === secret) return here;
    const candidates = new Set([...byPath.values()].filter((known) => maskSecret(known) === secret));
    const [only, ...others] = candidates;
    if (only !== undefined && others.length === 0) return only;
    const line = `path: ${path}, message: the masked value stands for ${others.length > 0 ? 'several stored credentials' : 'no stored credential'}`;
    throw new GatewayError('INVALID_CONFIG', {
      message: `The gateway config is not valid: ${line}`,
      param: path.replace(/^config/, 'input.config'),
      errors: [line],
    });
  });
}
