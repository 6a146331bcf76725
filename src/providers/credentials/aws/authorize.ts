import { GatewayError } from '../../../errors/index.ts';
import type { AwsKeys } from '../../identity.ts';
import type { Provider, ProviderCredential, UnsignedRequest } from '../../provider.ts';
import type { ProviderSettings } from '../../setting.ts';
import { bearer } from '../keys.ts';
import { requireIdentity } from '../own/require-identity.ts';
import { roleKeys } from './role.ts';
import { sign } from './sign.ts';

const DEFAULT_REGION = 'us-east-1';

export const regionOf = (settings: ProviderSettings): string => settings.aws_region ?? DEFAULT_REGION;

/**
 * A key, put where `withKey` says, or a signature with a key pair, which may first take on a role. `service`: the name
 * under which AWS knows it; `name`: the one under which callers do.
 */
export const awsAuthorize =
  (service: string, name: string, withKey: Provider['authorize'] = bearer): Provider['authorize'] =>
  (request, credential, fetch) =>
    usesApiKey(credential)
      ? withKey(request, credential, fetch)
      : signRequest(request, credential, { service, name }, fetch);

const usesApiKey = ({ settings }: ProviderCredential): boolean =>
  settings.aws_auth_type === undefined ? !settings.aws_access_key_id : settings.aws_auth_type === 'apiKey';

async function signRequest(
  request: UnsignedRequest,
  credential: ProviderCredential,
  { service, name }: { service: string; name: string },
  send: typeof fetch,
): Promise<void> {
  if (request.isStream)
    throw new GatewayError('VALIDATION_FAILED', {
      message: `${name} wants its requests signed, and a body that is passed on as it comes cannot be.`,
    });
  const { settings } = credential;
  const region = regionOf(settings);
  const own = await ownKeys(credential, name, region);
  const keys =
    settings.aws_role_arn !== undefined && settings.aws_auth_type !== 'accessKey'
      ? await roleKeys(own, settings.aws_role_arn, settings.aws_external_id, region, send)
      : own;
  Object.assign(request.headers, await sign(request, keys, region, service));
}

/** The credential's own key pair, else that of the gateway's role where the credential may use it. */
function ownKeys({ settings, identity }: ProviderCredential, name: string, region: string) {
  const { aws_auth_type: type, aws_access_key_id: id } = settings;
  if (type === 'serviceRole') return requireIdentity(identity, 'aws_auth_type', type).awsKeys(region);
  return identity && type === 'assumedRole' && id === undefined
    ? identity.awsKeys(region)
    : keysOf(settings, name);
}

function keysOf(settings: ProviderSettings, name: string): AwsKeys {
  const { aws_access_key_id: id, aws_secret_access_key: secret, aws_session_token: session } = settings;
  if (id !== undefined && secret !== undefined) return { id, secret, session };
  throw new GatewayError('VALIDATION_FAILED', {
    message: `${name} needs an API key, or aws_access_key_id with aws_secret_access_key.`,
    param: id === undefined ? 'aws_access_key_id' : 'aws_secret_access_key',
  });
}
