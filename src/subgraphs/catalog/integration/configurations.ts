import { GatewayError } from '../../../errors/index.ts';
import { customHostProblem } from '../../../lib/custom-host.ts';
import { maskSecret, type Secrets } from '../../../storage/secrets.ts';
import { isObject } from '../values.ts';
import type { IntegrationConfigurations, IntegrationDocument, IntegrationModel } from './model.ts';

type Headers = Record<string, string>;

const invalid = (message: string, param: string) => new GatewayError('VALIDATION_FAILED', { message, param });

// What the connection itself decides; a caller's value would break the request or the authentication.
const reservedHeaders =
  /^(host|content-length|content-type|connection|keep-alive|transfer-encoding|te|trailer|upgrade|proxy-.*)$/i;

/**
 * The `configurations` of an integration, checked: settings to store as they are, and headers to seal. Members that this
 * version does not act on are refused by name. A header given as the mask of the stored one keeps it.
 */
export function parseConfigurations(
  value: unknown,
  stored: Headers,
): { configurations: IntegrationConfigurations; headers: Headers | null } {
  const param = 'input.configurations';
  const { custom_headers: headers, ...settings } = asObject(value, param);
  return {
    configurations: parseSettings(settings, ['custom_host', 'openai_organization', 'openai_project'], param),
    headers: headers === undefined ? null : parseHeaders(headers, stored, `${param}.custom_headers`),
  };
}

/** The `configurations` of one of its models. */
export const parseModelConfigurations = (value: unknown, param: string): IntegrationModel['configurations'] =>
  parseSettings(asObject(value, param), ['custom_host'], param);

function asObject(value: unknown, param: string): Record<string, unknown> {
  if (value === undefined || value === null) return {};
  if (!isObject(value)) throw invalid('configurations must be an object.', param);
  return value;
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
  { _id, sealedHeaders }: Pick<IntegrationDocument, '_id' | 'sealedHeaders'>,
): Headers => (sealedHeaders ? JSON.parse(secrets.decrypt(sealedHeaders, _id)) : {});

/** The configurations as administrators see them: header values masked. */
export function shownConfigurations(secrets: Secrets, integration: IntegrationDocument) {
  const headers = Object.entries(unsealHeaders(secrets, integration));
  if (headers.length === 0) return integration.configurations;
  return {
    ...integration.configurations,
    custom_headers: Object.fromEntries(headers.map(([name, text]) => [name, maskSecret(text)])),
  };
}
