import { isSecretName } from '../../lib/redaction.ts';
import type { McpConfigurations } from './schema.ts';

/** Secret texts by where they stand, such as `headers.X-Api-Key` or `oauth_metadata.client_secret`. */
export type McpSecretTexts = Readonly<Record<string, string>>;

/** Members all of whose texts are secret. */
const wholes = ['headers', 'passthrough_headers'] as const;

/** Single secret members, by the member in which they stand. */
const singles = {
  oauth_metadata: 'client_secret',
  jwt_validation: 'introspectClientSecret',
} as const;

/** Settings without secrets, and the secrets. */
export type Separated = { plain: McpConfigurations; secrets: McpSecretTexts };

/** Takes the secrets out of settings. */
export function separated(configurations: McpConfigurations): Separated {
  const plain: Record<string, unknown> = { ...configurations };
  const secrets: [string, string][] = [];
  for (const member of wholes) {
    for (const [name, value] of Object.entries(configurations[member] ?? {}))
      secrets.push([`${member}.${name}`, value]);
    delete plain[member];
  }
  for (const [member, name] of Object.entries(singles)) {
    const { [name]: secret, ...rest } = (plain[member] ?? {}) as Record<string, unknown>;
    if (typeof secret !== 'string') continue;
    secrets.push([`${member}.${name}`, secret]);
    plain[member] = rest;
  }
  if (configurations.external_auth_config) {
    const all = Object.entries(configurations.external_auth_config);
    const isSecret = ([name, value]: [string, unknown]) => typeof value === 'string' && isSecretName(name);
    for (const [name, value] of all.filter(isSecret))
      secrets.push([`external_auth_config.${name}`, String(value)]);
    plain.external_auth_config = Object.fromEntries(all.filter((each) => !isSecret(each)));
  }
  return { plain: plain as McpConfigurations, secrets: Object.fromEntries(secrets) };
}

/** Settings with these secrets in their places. */
export function joined(plain: McpConfigurations, secrets: McpSecretTexts): McpConfigurations {
  const whole: Record<string, unknown> = { ...plain };
  for (const [path, secret] of Object.entries(secrets)) {
    const dot = path.indexOf('.');
    const member = path.slice(0, dot);
    whole[member] = { ...(whole[member] as object | undefined), [path.slice(dot + 1)]: secret };
  }
  return whole as McpConfigurations;
}

/** Whether a secret manager may fill this place: one that `separated` takes for a secret, or the client's id. */
export function isFillable(path: string): boolean {
  const dot = path.indexOf('.');
  const [member, name] = [path.slice(0, dot), path.slice(dot + 1)];
  if (dot < 0 || name === '') return false;
  if ((wholes as readonly string[]).includes(member)) return true;
  if (member === 'external_auth_config') return isSecretName(name);
  return path === 'oauth_metadata.client_id' || (singles as Record<string, string>)[member] === name;
}
