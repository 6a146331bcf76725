import { createHash, createPrivateKey, createSign, type KeyObject } from 'node:crypto';
import { GatewayError } from '../../../errors/index.ts';
import type { Provider } from '../../provider.ts';
import type { ProviderSettings } from '../../setting.ts';

/** Oracle's signature of a request: the date, the place and, where there is a body, its hash. */
export const authorize: Provider['authorize'] = (request, { settings }) => {
  const { method, origin, path, headers, body, isStream } = request;
  if (isStream)
    throw invalid('Oracle wants its requests signed, and a body that is passed on as it comes cannot be.');
  const compartment = settings.oracle_compartment_id;
  if (compartment !== undefined)
    Object.assign(headers, { compartmentid: compartment, 'opc-compartment-id': compartment });
  const signed: [string, string][] = [
    ['date', new Date().toUTCString()],
    ['(request-target)', `${method.toLowerCase()} ${path}`],
    ['host', new URL(origin).host],
  ];
  if (body !== null) {
    headers['content-type'] ??= 'application/json';
    signed.push(
      ['x-content-sha256', createHash('sha256').update(body).digest('base64')],
      ['content-type', String(headers['content-type'])],
      ['content-length', String(body.length)],
    );
  }
  const text = signed.map(([name, value]) => `${name}: ${value}`).join('\n');
  const signature = createSign('RSA-SHA256').update(text).sign(keyOf(settings), 'base64');
  for (const [name, value] of signed) if (sent.has(name)) headers[name] = value;
  const names = signed.map(([name]) => name).join(' ');
  headers.authorization = `Signature version="1",keyId="${keyIdOf(settings)}",algorithm="rsa-sha256",headers="${names}",signature="${signature}"`;
};

const sent: ReadonlySet<string> = new Set(['date', 'x-content-sha256']);

const keyIdOf = (settings: ProviderSettings): string =>
  ['oracle_tenancy', 'oracle_user', 'oracle_fingerprint'].map((name) => required(settings, name)).join('/');

function keyOf(settings: ProviderSettings): KeyObject {
  // A header has no lines: there they are written as \n.
  const key = required(settings, 'oracle_private_key').replaceAll('\\n', '\n');
  let found: KeyObject;
  try {
    found = createPrivateKey({ key, passphrase: settings.oracle_key_passphrase });
  } catch (cause) {
    throw invalid(
      'oracle_private_key is no private key that oracle_key_passphrase opens.',
      'oracle_private_key',
      cause,
    );
  }
  if (found.asymmetricKeyType === 'rsa') return found;
  throw invalid('oracle_private_key is no RSA key.', 'oracle_private_key');
}

function required(settings: ProviderSettings, name: string): string {
  const value = settings[name];
  if (value === undefined) throw invalid(`Oracle needs ${name}.`, name);
  return value;
}

const invalid = (message: string, param?: string, cause?: unknown) =>
  new GatewayError('VALIDATION_FAILED', { message, param, cause });
