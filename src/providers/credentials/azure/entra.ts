import { GatewayError, invalidInput } from '../../../errors/index.ts';
import type { ProviderSettings } from '../../setting.ts';
import { type Expiring, expiringCache } from '../expiring-cache.ts';
import { applicationForm, issuedToken, tokenUrl } from './entra-form.ts';

export const DEFAULT_SCOPE = 'https://cognitiveservices.azure.com/.default';
const AUTHORITY = 'https://login.microsoftonline.com';

const issued = expiringCache<string>();

/** A token that Microsoft Entra issues to an application, remembered until shortly before it expires. */
export function entraToken(settings: ProviderSettings, send: typeof fetch): Promise<string> {
  const tenant = required(settings, 'azure_entra_tenant_id');
  const proof = {
    client_id: required(settings, 'azure_entra_client_id'),
    client_secret: required(settings, 'azure_entra_client_secret'),
  };
  const form = applicationForm(proof, settings.azure_entra_scope ?? DEFAULT_SCOPE);
  return issued(`${tenant} ${form}`, () => issue(tenant, form, send));
}

function required(settings: ProviderSettings, name: string): string {
  const value = settings[name];
  if (value === undefined) throw invalidInput(name, `The authentication with Entra needs ${name}.`);
  return value;
}

async function issue(tenant: string, form: string, send: typeof fetch): Promise<Expiring<string>> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const answer = await send(tokenUrl(AUTHORITY, tenant), { method: 'POST', headers, body: form }).catch(
    (cause: unknown) => {
      throw new GatewayError('PROVIDER_UNREACHABLE', {
        message: "Microsoft's token service cannot be reached.",
        cause,
      });
    },
  );
  const token = issuedToken(await answer.json().catch(() => null));
  if (answer.ok && token) return token;
  throw invalidInput('azure_entra_client_secret', `Entra issued no token (status ${answer.status}).`);
}
