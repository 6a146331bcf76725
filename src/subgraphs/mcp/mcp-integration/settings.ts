import { invalidInput } from '../../../errors/index.ts';
import {
  ConfigurationProblem,
  joined,
  type McpAuthType,
  type McpConfigurations,
  type McpSecretTexts,
  parseMcpConfigurations,
  requireCoherent,
  separated,
} from '../../../mcp/configurations/index.ts';
import { maskSecret, type Secrets } from '../../../storage/secrets.ts';
import type { McpIntegrationDocument } from './model.ts';

type Stored = Pick<McpIntegrationDocument, '_id' | 'configurations' | 'sealedSecrets'>;
export type StoredSettings = Pick<McpIntegrationDocument, 'configurations' | 'sealedSecrets'>;

const PARAM = 'input.configurations';

/** The secrets of an integration in the clear. */
export const unsealed = (secrets: Secrets, { _id, sealedSecrets }: Stored): McpSecretTexts =>
  sealedSecrets === null ? {} : JSON.parse(secrets.decrypt(sealedSecrets, _id));

/** The settings of an integration, every secret in the clear. In memory only. */
export const clearSettings = (secrets: Secrets, integration: Stored): McpConfigurations =>
  joined(JSON.parse(integration.configurations), unsealed(secrets, integration));

/** The settings as administrators see them: secrets masked. */
export const shownSettings = (secrets: Secrets, integration: Stored): McpConfigurations =>
  joined(
    JSON.parse(integration.configurations),
    Object.fromEntries(
      Object.entries(unsealed(secrets, integration)).map(([path, text]) => [path, maskSecret(text)]),
    ),
  );

/** What an input says, and the places of stored secrets that it keeps. */
export type GivenSettings = { configurations: McpConfigurations; kept: string[] };

/** The settings of an input, checked; a secret that is given as the mask of the stored one is the stored one. */
export function givenSettings(value: unknown, stored: McpSecretTexts): GivenSettings {
  const { plain, secrets } = separated(refusing(() => parseMcpConfigurations(value)));
  const kept = Object.keys(secrets).filter((path) => {
    const before = stored[path];
    return before !== undefined && maskSecret(before) === secrets[path];
  });
  const texts = { ...secrets, ...Object.fromEntries(kept.map((path) => [path, stored[path] ?? ''])) };
  return { configurations: joined(plain, texts), kept };
}

/** Refuses settings that do not fit each other, or the way in which the gateway proves itself. */
export function requireFitting(
  authType: McpAuthType,
  configurations: McpConfigurations,
  mappings: readonly { targetField: string }[],
): void {
  const filled = new Set(mappings.map(({ targetField }) => targetField.slice('configurations.'.length)));
  refusing(() => requireCoherent(authType, configurations, filled));
}

/** The forms in which settings are stored. */
export function storedSettings(
  secrets: Secrets,
  _id: string,
  configurations: McpConfigurations,
): StoredSettings {
  const { plain, secrets: texts } = separated(configurations);
  return {
    configurations: JSON.stringify(plain),
    sealedSecrets: Object.keys(texts).length > 0 ? secrets.encrypt(JSON.stringify(texts), _id) : null,
  };
}

function refusing<T>(check: () => T): T {
  try {
    return check();
  } catch (error) {
    if (!(error instanceof ConfigurationProblem)) throw error;
    const place = error.path === '' ? '' : `.${error.path}`;
    throw invalidInput(`${PARAM}${place}`, `configurations${place} ${error.message}.`);
  }
}
