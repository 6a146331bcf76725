import { applicationForm, issuedToken, tokenUrl } from '../../providers/credentials/azure/entra-form.ts';
import { type Expiring, expiringCache } from '../../providers/credentials/expiring-cache.ts';
import { type ManagerAnswer, requireServing } from '../ask.ts';
import type { SecretRequest } from '../manager.ts';
import { SecretProblem } from '../problem.ts';

const issued = expiringCache<string>();

/** A token for Key Vault, as the auth config of a reference says. `resource`: whom it is for. */
export function vaultToken(request: SecretRequest, resource: string): Promise<string> {
  const { auth, identity, own } = request;
  if (auth.azure_auth_mode === 'entra')
    return ofApplication(request, resource, auth.azure_entra_tenant_id ?? '', {
      client_id: auth.azure_entra_client_id ?? '',
      client_secret: auth.azure_entra_client_secret ?? '',
    });
  if (auth.azure_auth_mode === 'managed') return own.managedToken(resource, auth.azure_managed_client_id);
  const { tenantId, clientId, tokenFile } = identity.cloud.azure;
  if (tenantId === undefined || clientId === undefined) return own.managedToken(resource, clientId);
  const { azureClientSecret: secret } = identity;
  if (secret !== null)
    return ofApplication(request, resource, tenantId, { client_id: clientId, client_secret: secret });
  return tokenFile === undefined
    ? own.managedToken(resource, clientId)
    : own.entraToken({}, `${resource}/.default`);
}

function ofApplication(
  { ask, identity }: SecretRequest,
  resource: string,
  tenant: string,
  proof: { client_id: string; client_secret: string },
): Promise<string> {
  const url = tokenUrl(identity.cloud.azure.authority, tenant);
  const body = applicationForm(proof, `${resource}/.default`);
  return issued(`${url} ${body}`, async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    return tokenOf(await ask({ method: 'POST', url, headers, body }), 'Entra');
  });
}

function tokenOf(answer: ManagerAnswer, who: string): Expiring<string> {
  requireServing(answer, who);
  if (answer.status !== 200)
    throw new SecretProblem('denied', `${who} issued no token (status ${answer.status}).`);
  const token = issuedToken(answer.json);
  if (token) return token;
  throw new SecretProblem('unreadable', `${who} answered no token.`);
}
