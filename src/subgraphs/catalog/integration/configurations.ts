import { invalidInput } from '../../../errors/index.ts';
import { customHostProblem } from '../../../lib/http/custom-host.ts';
import { isObject } from '../../../lib/json.ts';
import { findProvider, type Setting, settingProblem, settingText } from '../../../providers/index.ts';
import type { IntegrationConfigurations, IntegrationModel } from './model.ts';
import { isMaskOf, type Texts } from './sealed.ts';

// What the connection itself decides; a caller's value would break the request or the authentication.
const reservedHeaders =
  /^(host|content-length|content-type|connection|keep-alive|transfer-encoding|te|trailer|upgrade|proxy-.*)$/i;

/** Headers and secret settings, in the clear. */
export type SecretTexts = { headers: Texts; secrets: Texts };

/** Settings to store as they are, and texts to seal. `kept`: the names of those that are as they were stored. */
export type Configurations = SecretTexts & { plain: IntegrationConfigurations; kept: string[] };

/**
 * The `configurations` of an integration of this provider kind, checked. Members that the kind does not declare are refused
 * by name. A header or secret given as the mask of the stored one keeps it.
 */
export function parseConfigurations(
  value: unknown,
  aiProviderId: string,
  stored: SecretTexts,
): Configurations {
  const param = 'input.configurations';
  const known = findProvider(aiProviderId)?.settings ?? {};
  const { custom_headers: headers = {}, ...members } = asObject(value, param);
  const texts = Object.entries(members).map(
    ([name, given]) => [name, parseMember(name, given, known, param)] as const,
  );
  const isSecret = (name: string) => Object.hasOwn(known, name) && known[name]?.secret === true;
  const givenSecrets = Object.fromEntries(texts.filter(([name]) => isSecret(name)));
  const givenHeaders = parseHeaders(headers, `${param}.custom_headers`);
  const secrets = unmasked(givenSecrets, stored.secrets);
  requireValid(secrets.texts, known, param);
  const ownHeaders = unmasked(givenHeaders, stored.headers);
  return {
    plain: Object.fromEntries(texts.filter(([name]) => !isSecret(name))),
    secrets: secrets.texts,
    headers: ownHeaders.texts,
    kept: [...ownHeaders.kept, ...secrets.kept],
  };
}

/** Texts with the stored ones in the place of their masks, and the names of those. */
function unmasked(given: Texts, stored: Texts): { texts: Texts; kept: string[] } {
  const kept = Object.keys(given).filter((name) => isMaskOf(given[name] ?? '', stored[name]));
  return { texts: { ...given, ...Object.fromEntries(kept.map((name) => [name, stored[name] ?? ''])) }, kept };
}

/** The `configurations` of one of its models; a header given as the mask of the stored one keeps it. */
export function parseModelConfigurations(
  value: unknown,
  param: string,
  storedHeaders: Texts,
): { plain: IntegrationModel['configurations']; headers: Texts } {
  const { custom_headers: headers = {}, ...members } = asObject(value, param);
  const plain = Object.entries(members).map(([name, text]) => [name, parseMember(name, text, {}, param)]);
  const given = parseHeaders(headers, `${param}.custom_headers`);
  return { plain: Object.fromEntries(plain), headers: unmasked(given, storedHeaders).texts };
}

function asObject(value: unknown, param: string): Record<string, unknown> {
  if (value === undefined || value === null) return {};
  if (!isObject(value)) throw invalidInput(param, 'configurations must be an object.');
  return value;
}

type KnownSettings = Readonly<Record<string, Setting>>;

/** The text of a member, checked unless it is secret: that may still be the mask of another. */
function parseMember(name: string, given: unknown, known: KnownSettings, param: string): string {
  const member = `${param}.${name}`;
  const setting = Object.hasOwn(known, name) ? known[name] : undefined;
  if (name !== 'custom_host' && !setting)
    throw invalidInput(member, `configurations.${name} is not supported.`);
  const text = setting ? settingText(setting, given) : given;
  if (typeof text !== 'string' || text === '')
    throw invalidInput(member, `configurations.${name} must be a text.`);
  if (setting && !setting.secret) requireValid({ [name]: text }, known, param);
  const problem = setting ? null : customHostProblem(text);
  if (problem) throw invalidInput(member, `configurations.custom_host: ${problem}.`);
  return text;
}

function requireValid(texts: Texts, known: KnownSettings, param: string): void {
  for (const [name, text] of Object.entries(texts)) {
    const setting = known[name];
    const problem = setting && settingProblem(setting, text);
    if (problem) throw invalidInput(`${param}.${name}`, `configurations.${name} must be ${problem}.`);
  }
}

function parseHeaders(value: unknown, param: string): Texts {
  if (!isObject(value)) throw invalidInput(param, 'configurations.custom_headers must be an object.');
  const entries = Object.entries(value);
  if (entries.length > 50) throw invalidInput(param, 'There are at most 50 custom headers.');
  return Object.fromEntries(
    entries.map(([name, text]) => {
      const member = `${param}.${name}`;
      if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/.test(name) || reservedHeaders.test(name)) {
        throw invalidInput(member, 'This is not the name of a custom header.');
      }
      if (typeof text !== 'string' || text.length > 8192 || !/^[\t\x20-\x7e\x80-\xff]*$/.test(text)) {
        throw invalidInput(member, 'Header values are one-line texts of at most 8192 characters.');
      }
      return [name, text];
    }),
  );
}
