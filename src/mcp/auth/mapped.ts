import type { MappedSecret } from '../../directory/memory.ts';
import { SecretProblem } from '../../secret-managers/index.ts';
import type { SecretMemory } from '../../secret-managers/memory.ts';
import { joined, type McpConfigurations } from '../configurations/index.ts';
import { UpstreamProblem } from '../upstream/index.ts';

const unavailable = (reason: string, cause?: unknown): UpstreamProblem =>
  new UpstreamProblem('credential', `a secret of the credential is not to be had: ${reason}`, { cause });

/**
 * Settings with the values that come from secret managers in their places, from memory when they are there. Rejects with an
 * UpstreamProblem.
 */
export async function withMappedSecrets(
  configurations: McpConfigurations,
  mapped: readonly MappedSecret[],
  memory: Pick<SecretMemory, 'get'>,
): Promise<McpConfigurations> {
  if (mapped.length === 0) return configurations;
  const values = await Promise.all(mapped.map((secret) => valueFor(secret, memory)));
  return joined(configurations, Object.fromEntries(values));
}

async function valueFor(
  { setting, source, key, format }: MappedSecret,
  memory: Pick<SecretMemory, 'get'>,
): Promise<[string, string]> {
  if (source === null) throw unavailable('its secret reference is gone, or not for this workspace');
  try {
    const value = (await memory.get(source)).pick(key, format);
    // A value travels in a header, where a line break would begin another one.
    if (value === '' || value.length > 8192 || /\p{Cc}/u.test(value))
      throw unavailable(`the value of ${source.slug} is no text of one line`);
    return [setting ?? '', value];
  } catch (error) {
    if (!(error instanceof SecretProblem)) throw error;
    throw unavailable(`the secret reference ${source.slug} is ${error.fault}`, error);
  }
}
