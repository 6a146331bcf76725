import { GatewayError } from '../../errors/index.ts';
import type { Provider, ProviderCredential, UnsignedRequest } from '../provider.ts';
import type { Settings } from '../setting.ts';
import { type Keys, roleKeys } from './role.ts';
import { sign } from './sign.ts';

const DEFAULT_REGION = 'us-east-1';

export const regionOf = (settings: Settings): string => settings.aws_region ?? DEFAULT_REGION;

/** An API key as a bearer token, or a signature with a key pair, which may first take on a role. */
export const authorize: Provider['authorize'] = (request, credential, fetch) => {
  const { key, settings } = credential;
  if (usesApiKey(credential)) {
    if (key !== null) request.headers.authorization = `Bearer ${key}`;
    return;
  }
  return signRequest(request, settings, fetch);
};

const usesApiKey = ({ settings }: ProviderCredential): boolean =>
  settings.aws_auth_type === undefined ? !settings.aws_access_key_id : settings.aws_auth_type === 'apiKey';

async function signRequest(request: UnsignedRequest, settings: Settings, send: typeof fetch): Promise<void> {
  if (request.body === null && request.headers['content-length'] !== undefined)
    throw new GatewayError('VALIDATION_FAILED', {
      message: 'Bedrock wants its requests signed, and a body that is passed on as it comes cannot be.',
    });
  const region = regionOf(settings);
  const own = keysOf(settings);
  const keys =
    settings.aws_role_arn !== undefined && settings.aws_auth_type !== 'accessKey'
      ? await roleKeys(own, settings.aws_role_arn, settings.aws_external_id, region, send)
      : own;
  Object.assign(request.headers, await sign(request, keys, region, 'bedrock'));
}

function keysOf(settings: Settings): Keys {
  const { aws_access_key_id: id, aws_secret_access_key: secret, aws_session_token: session } = settings;
  if (id !== undefined && secret !== undefined) return { id, secret, session };
  throw new GatewayError('VALIDATION_FAILED', {
    message: 'Bedrock needs an API key, or aws_access_key_id with aws_secret_access_key.',
    param: id === undefined ? 'aws_access_key_id' : 'aws_secret_access_key',
  });
}
