import { GatewayError, invalidInput } from '../../../errors/index.ts';
import type { ProviderSettings } from '../../setting.ts';
import { type Expiring, expiringCache } from '../expiring-cache.ts';

export const DEFAULT_SCOPE = 'https://cognitiveservices.azure.com/.default';
/** Seconds that a token is good for when Microsoft does not say. */
const LIFETIME = 3600;

const issued = expiringCache<string>();

/** A token that Microsoft Entra issues to an application, remembered until shortly before it expires. */
export function entraToken(settings: ProviderSettings, send: typeof fetch): Promise<string> {
  const tenant = required(settings, 'azure_entra_tenant_id');
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: required(settings, 'azure_entra_client_id'),
    client_secret: required(settings, 'azure_entra_client_secret'),
    scope: settings.azure_entra_scope ?? DEFAULT_SCOPE,
  }).toString();
  return issued(`${tenant} ${form}`, () => issue(tenant, form, send));
}

function required(settings: ProviderSettings, name: string): string {
  const value = settings[name];
  if (value === undefined) throw invalidInput(name, `The authentication with Entra needs ${name}.`);
  return value;
}

async function issue(tenant: string, form: string, send: typeof fetch): Promise<Expiring<string>> {
  const answer = await send(
    `https://login.microsoftonline.com/${encodeURIComponent(tenant)}/oauth2/v2.0/token`,
    { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: form },
  ).catch((cause: unknown) => {
    throw new GatewayError('PROVIDER_UNREACHABLE', {
      message: "Microsoft's token service cannot be reached.",
      cause,
    });
  });
  const token = (await answer.json().catch(() => null)) as { access_token?: unknown; expires_in?: unknown };
  if (!answer.ok || typeof token?.access_token !== 'string')
    throw invalidInput('azure_entra_client_secret', `Entra issued no token (status ${answer.status}).`);
  const seconds = Number(token.expires_in);
  return {
    value: token.access_token,
    expiresAt: Date.now() + (Number.isFinite(seconds) ? seconds : LIFETIME) * 1000,
  };
}
