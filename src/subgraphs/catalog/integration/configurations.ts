import { GatewayError } from '../../../errors/index.ts';
import { customHostProblem } from '../../../lib/custom-host.ts';
import { maskSecret, type Secrets } from '../../../storage/secrets.ts';
import { isObject } from '../values.ts';
import type { IntegrationConfigurations, IntegrationDocument } from './model.ts';

type Headers = Record<string, string>;

const invalid = (message: string, param: string) => new GatewayError('VALIDATION_FAILED', { message, param });

// What the connection itself decides; a caller's value would break the request or the authentication.
const reservedHeaders =
  /^(host|content-length|content-type|connection|keep-alive|transfer-encoding|te|trailer|upgrade|proxy-.*)$/i;

/** What carries configurations: an integration, or one of its models with the integration's id. */
type Configured = Pick<IntegrationDocument, '_id' | 'configurations' | 'sealedHeaders'>;

export const integrationSettings = ['custom_host', 'openai_organization', 'openai_project'] as const;
export const modelSettings = ['custom_host'] as const;

/**
 * The `configurations` of an integration or model, checked: settings to store as they are, and headers to seal. Members
 * that this version does not act on are refused by name. A header given as the mask of the stored one keeps it.
 */
export function parseConfigurations(
  value: unknown,
  known: readonly (keyof IntegrationConfigurations)[],
  stored: Headers,
  param = 'input.configurations',
): { configurations: IntegrationConfigurations; headers: Headers | null } {
  if (value === undefined || value === null) return { configurations: {}, headers: null };
  if (!isObject(value)) throw invalid('configurations must be an object.', param);
  const { custom_headers: headers, ...settings } = value;
  return {
    configurations: parseSettings(settings, known, param),
    headers: headers === undefined ? null : parseHeaders(headers, stored, `${param}.custom_headers`),
  };
}

function parseSettings(
  value: Record<string, unknown>,
  known: readonly (keyof IntegrationConfigurations)[],
  param: string,
): IntegrationConfigurations {
  for (const [name, text] of Object.entries(value)) {
    const member = `${param}.${name}`;
    if (!(known as readonly string[]).includes(name))
      throw invalid(`configurations.${name} is not supported.`, member);
    if (typeof text !== 'string' || text === '')
      throw invalid(`configurations.${name} must be a text.`, member);
    if (name === 'custom_host') {
      const problem = customHostProblem(text);
      if (problem) throw invalid(`configurations.custom_host: ${problem}.`, member);
    } else if (text.length > 255) {
      throw invalid(`configurations.${name} has at most 255 characters.`, member);
    }
  }
  return value;
}

function parseHeaders(value: unknown, stored: Headers, param: string): Headers {
  if (!isObject(value)) throw invalid('configurations.custom_headers must be an object.', param);
  const entries = Object.entries(value);
  if (entries.length > 50) throw invalid('There are at most 50 custom headers.', param);
  return Object.fromEntries(
    entries.map(([name, text]) => {
      const member = `${param}.${name}`;
      if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/.test(name) || reservedHeaders.test(name)) {
        throw invalid('This is not the name of a custom header.', member);
      }
      if (typeof text !== 'string' || text.length > 8192 || !/^[\t\x20-\x7e\x80-\xff]*$/.test(text)) {
        throw invalid('Header values are one-line texts of at most 8192 characters.', member);
      }
      const kept = stored[name];
      return [name, kept !== undefined && maskSecret(kept) === text ? kept : text];
    }),
  );
}

export const sealHeaders = (
  secrets: Secrets,
  headers: Headers | null,
  integrationId: string,
): string | null =>
  headers && Object.keys(headers).length > 0 ? secrets.encrypt(JSON.stringify(headers), integrationId) : null;

/** The custom headers in the clear, for the call to the provider. */
export const unsealHeaders = (
  secrets: Secrets,
  { _id, sealedHeaders }: Pick<Configured, '_id' | 'sealedHeaders'>,
): Headers => (sealedHeaders ? JSON.parse(secrets.decrypt(sealedHeaders, _id)) : {});

/** The configurations as administrators see them: header values masked. */
export function shownConfigurations(secrets: Secrets, configured: Configured) {
  const headers = Object.entries(unsealHeaders(secrets, configured));
  if (headers.length === 0) return configured.configurations;
  return {
    ...configured.configurations,
    custom_headers: Object.fromEntries(headers.map(([name, text]) => [name, maskSecret(text)])),
  };
}
