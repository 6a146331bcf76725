import { GatewayError } from '../../../errors/index.ts';
import { joinBetas } from '../../credentials/anthropic.ts';
import { type Expiring, expiringCache } from '../../credentials/expiring-cache.ts';
import type { Provider } from '../../provider.ts';
import { invalid, parseServiceAccount, serviceAccountText } from './service-account.ts';

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
/** Milliseconds that Google's tokens are good for when it does not say. */
const LIFETIME = 3_600_000;

const issued = expiringCache<string>();

/** A bearer token: the one that was given, or one that Google issues to the service account. */
export const authorize: Provider['authorize'] = (request, credential, fetch) => {
  const betas = joinBetas(request.headers['anthropic-beta'], credential.settings.anthropic_beta);
  if (betas !== '') request.headers['anthropic-beta'] = betas;
  const account = serviceAccountText(credential);
  if (account === null) {
    if (credential.key !== null) request.headers.authorization = `Bearer ${credential.key}`;
    return;
  }
  return issued(account, () => issue(account, fetch)).then((token) => {
    request.headers.authorization = `Bearer ${token}`;
  });
};

async function issue(text: string, send: typeof fetch): Promise<Expiring<string>> {
  const { email, privateKey } = parseServiceAccount(text);
  const { JWT } = await import('google-auth-library');
  // The library's other ways to authenticate let the JSON name hosts; this one only ever asks Google.
  const client = new JWT({
    email,
    key: privateKey,
    scopes: [SCOPE],
    transporterOptions: { fetchImplementation: send, retry: false },
  });
  const credentials = await client.authorize().catch((error: unknown) => {
    throw refusal(error);
  });
  if (!credentials.access_token) throw invalid('was refused by Google.');
  return { value: credentials.access_token, expiresAt: credentials.expiry_date ?? Date.now() + LIFETIME };
}

function refusal(error: unknown): GatewayError {
  const { response, code } = error as { response?: { status?: number }; code?: unknown };
  if (response?.status !== undefined)
    return invalid(`was refused by Google (status ${response.status}).`, error);
  if (typeof code === 'string' && code.startsWith('ERR_OSSL'))
    return invalid('has no usable private_key.', error);
  return new GatewayError('PROVIDER_UNREACHABLE', {
    message: "Google's token service cannot be reached.",
    cause: error,
  });
}
