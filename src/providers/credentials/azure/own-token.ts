import { invalidInput } from '../../../errors/index.ts';
import type { ProviderCredential, UnsignedRequest } from '../../provider.ts';
import { requireIdentity } from '../own/require-identity.ts';
import { DEFAULT_SCOPE } from './entra.ts';

/** Hosts that Microsoft runs, so that nobody else gets to see a token of the gateway's. */
const MICROSOFT_HOST =
  /^https:\/\/[\w-]+(?:\.[\w-]+)?\.(?:openai|cognitiveservices|services\.ai|models\.ai)\.azure\.(?:com|us)$/;

/** Ways of authentication in which the gateway shows its own identity. */
export const ownModes = ['managed', 'workload', 'entraFederated'] as const;

/** A token for Azure by one of these ways; null for any other. */
export function ownToken(
  { origin }: UnsignedRequest,
  { settings, identity }: ProviderCredential,
): Promise<string> | null {
  const mode = ownModes.find((each) => each === settings.azure_auth_mode);
  if (mode === undefined) return null;
  const own = requireIdentity(identity, 'azure_auth_mode', mode);
  if (!MICROSOFT_HOST.test(origin))
    throw invalidInput(
      'azure_foundry_url',
      `azure_auth_mode ${mode} goes to hosts of Azure's own alone, such as https://name.services.ai.azure.com.`,
    );
  const scope = settings.azure_entra_scope ?? DEFAULT_SCOPE;
  const managedClientId = settings.azure_managed_client_id;
  if (mode === 'managed') return own.managedToken(scope.replace(/\/\.default$/, ''), managedClientId);
  if (mode === 'workload') {
    const { azure_workload_tenant_id: tenantId, azure_workload_client_id: clientId } = settings;
    return own.entraToken({ tenantId, clientId }, scope);
  }
  const { azure_entra_tenant_id: tenantId, azure_entra_client_id: clientId } = settings;
  return own.entraToken({ tenantId, clientId, managedClientId }, scope);
}
