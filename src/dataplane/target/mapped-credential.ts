import type { MappedSecret, ProviderRecord } from '../../directory/memory.ts';
import { GatewayError } from '../../errors/index.ts';
import { type Provider, type ProviderSettings, settingProblem } from '../../providers/index.ts';
import { type SecretContent, SecretProblem } from '../../secret-managers/index.ts';
import type { SecretMemory } from '../../secret-managers/memory.ts';
import type { Target } from './target.ts';

/** What came from secret managers for a credential; a null `key` leaves the stored one. */
export type MappedValues = {
  used: readonly SecretContent[];
  key: string | null;
  settings: ProviderSettings;
};

/** Whose credential it is; a null `slug` stands for what is not stored. */
type Holder = Pick<ProviderRecord, 'mappedSecrets'> & { slug: string | null };

type Use = { record: Holder | null; usedSecrets: readonly SecretContent[] };

/** Bytes of a credential's key. */
const MAX_KEY = 8192;

/**
 * A target with the values of its secrets in its credential, from memory when they are there. Throws, or rejects with,
 * SECRET_UNAVAILABLE.
 */
export function withSecrets(target: Target, memory: SecretMemory): Target | Promise<Target> {
  const { record } = target;
  if (record === null || record.mappedSecrets.length === 0) return target;
  const values = mappedValues(record, target.provider, memory);
  return values instanceof Promise
    ? values.then((ready) => filled(target, record, ready))
    : filled(target, record, values);
}

/** The values of a holder's secrets, from memory when they are there. Throws, or rejects with, SECRET_UNAVAILABLE. */
export function mappedValues(
  holder: Holder,
  provider: Provider,
  memory: SecretMemory,
): MappedValues | Promise<MappedValues> {
  const contents = holder.mappedSecrets.map((secret) => contentOf(secret, holder, memory));
  return contents.some((content) => content instanceof Promise)
    ? Promise.all(contents).then((all) => valuesIn(holder, provider, all))
    : valuesIn(holder, provider, contents as SecretContent[]);
}

/** Whether newer values may be had than those that were used. */
export const mayRenew = ({ record, usedSecrets }: Use, memory: SecretMemory): boolean =>
  record?.mappedSecrets.some(({ source }, index) => {
    const used = usedSecrets[index];
    return source !== null && used !== undefined && memory.mayRenew(source, used);
  }) ?? false;

/** Asks for newer values; true when there is one. */
export async function renewed({ record, usedSecrets }: Use, memory: SecretMemory): Promise<boolean> {
  const asked = record?.mappedSecrets.map(async ({ source }, index) => {
    const used = usedSecrets[index];
    return source !== null && used !== undefined && (await memory.renew(source, used)) !== used;
  });
  return (await Promise.allSettled(asked ?? [])).some((each) => each.status === 'fulfilled' && each.value);
}

function contentOf(
  { source }: MappedSecret,
  record: Holder,
  memory: SecretMemory,
): SecretContent | Promise<SecretContent> {
  if (source === null)
    return Promise.reject(unavailable(record, 'its secret reference is gone, or not for this workspace'));
  try {
    const found = memory.get(source);
    return found instanceof Promise
      ? found.catch((error: unknown) => Promise.reject(publicError(error, record, source.slug)))
      : found;
  } catch (error) {
    return Promise.reject(publicError(error, record, source.slug));
  }
}

/** What a caller is told: the manager's address and answer are for administrators, in the log. */
const publicError = (error: unknown, record: Holder, slug: string): unknown =>
  error instanceof SecretProblem
    ? unavailable(record, `the secret reference ${slug} is ${error.fault}`, error)
    : error;

const unavailable = ({ slug }: Holder, reason: string, cause?: unknown) =>
  new GatewayError('SECRET_UNAVAILABLE', {
    message: `The credential${slug === null ? '' : ` of @${slug}`} is not to be had: ${reason}.`,
    cause,
  });

/** What was made of a holder's secrets last: most calls find the same contents again. */
const made = new WeakMap<Holder, MappedValues>();

function valuesIn(holder: Holder, provider: Provider, used: readonly SecretContent[]): MappedValues {
  let values = made.get(holder);
  if (!values || !isSame(values.used, used)) {
    values = valuesOf(holder, provider, used);
    made.set(holder, values);
  }
  return values;
}

function filled(target: Target, record: ProviderRecord, values: MappedValues): Target {
  const settings: Record<string, string> = { ...target.bareCredential.settings };
  for (const name in values.settings) {
    // What the call chose goes before the integration's own, wherever that comes from.
    if (settings[name] === record.credential.settings[name]) settings[name] = values.settings[name] ?? '';
  }
  return {
    ...target,
    usedSecrets: values.used,
    credential: { ...target.bareCredential, key: values.key ?? target.bareCredential.key, settings },
  };
}

const isSame = (some: readonly SecretContent[], others: readonly SecretContent[]): boolean =>
  some.every((content, index) => content === others[index]);

function valuesOf(record: Holder, provider: Provider, used: readonly SecretContent[]): MappedValues {
  let key: string | null = null;
  const settings: Record<string, string> = {};
  for (const [index, secret] of record.mappedSecrets.entries()) {
    const value = mappedValue(secret, used[index] as SecretContent, record);
    const problem = problemOf(provider, secret.setting, value);
    if (problem)
      throw unavailable(
        record,
        `the value of ${secret.source?.slug} for ${fieldOf(secret)} must be ${problem}`,
      );
    if (secret.setting === null) key = value;
    else settings[secret.setting] = value;
  }
  return { used, key, settings };
}

const fieldOf = ({ setting }: MappedSecret): string => setting ?? 'key';

function mappedValue(secret: MappedSecret, content: SecretContent, record: Holder): string {
  try {
    return content.pick(secret.key, secret.format);
  } catch (error) {
    throw publicError(error, record, secret.source?.slug ?? '');
  }
}

function problemOf(provider: Provider, setting: string | null, value: string): string | null {
  if (setting !== null) return settingProblem(provider.settings[setting] ?? {}, value);
  if (value === '' || value.length > MAX_KEY) return `a text of 1 to ${MAX_KEY} characters`;
  // A key travels in a header, where a line break would begin another one.
  return /\p{Cc}/u.test(value) ? 'a text of one line' : null;
}
