import { invalidInput } from '../../../errors/index.ts';
import type { CloudIdentity } from '../../../settings/index.ts';
import type { TrustingApplication } from '../../identity.ts';
import { applicationForm, issuedToken, tokenUrl } from '../azure/entra-form.ts';
import type { Expiring } from '../expiring-cache.ts';
import { askCloudJson, nothingGiven, tokenIn } from './ask.ts';

type Azure = CloudIdentity['azure'];

/** What a managed identity shows to Entra in place of a secret. */
const EXCHANGE = 'api://AzureADTokenExchange';
const ASSERTION = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
function tokenOf(who: string, answer: unknown): Expiring<string> {
  const token = issuedToken(answer);
  if (token) return token;
  throw nothingGiven(who);
}

/** From the app service that this process runs in, else from the virtual machine. */
export async function managedToken(
  { appService, metadata }: Azure,
  resource: string,
  clientId: string | undefined,
): Promise<Expiring<string>> {
  const who = "Azure's service of managed identities";
  const query = { resource, ...(clientId !== undefined && { client_id: clientId }) };
  const asked = (version: string) => new URLSearchParams({ 'api-version': version, ...query });
  if (appService) {
    const headers = { 'x-identity-header': appService.header };
    return tokenOf(
      who,
      await askCloudJson(who, `${appService.endpoint}?${asked('2019-08-01')}`, { headers }),
    );
  }
  const url = `${metadata}/metadata/identity/oauth2/token?${asked('2018-02-01')}`;
  return tokenOf(who, await askCloudJson(who, url, { headers: { metadata: 'true' } }));
}

/** Shows Entra the cluster's token or, where there is none, that of a managed identity. */
export async function entraTokenFor(
  azure: Azure,
  proof: TrustingApplication,
  scope: string,
): Promise<Expiring<string>> {
  const who = "Microsoft's token service";
  const tenant = named(proof.tenantId ?? azure.tenantId, 'azure_workload_tenant_id');
  const assertion =
    azure.tokenFile === undefined
      ? (await managedToken(azure, EXCHANGE, proof.managedClientId)).value
      : await tokenIn(azure.tokenFile);
  const client = {
    client_id: named(proof.clientId ?? azure.clientId, 'azure_workload_client_id'),
    client_assertion_type: ASSERTION,
    client_assertion: assertion,
  };
  const body = new URLSearchParams(applicationForm(client, scope));
  return tokenOf(who, await askCloudJson(who, tokenUrl(azure.authority, tenant), { method: 'POST', body }));
}

function named(value: string | undefined, setting: string): string {
  if (value !== undefined) return value;
  throw invalidInput(setting, `The gateway's own identity has none of its own: set ${setting}.`);
}
