import { isObject } from '../../lib/json.ts';
import { requireServing } from '../ask.ts';
import { SecretContent } from '../content.ts';
import type { SecretManager } from '../manager.ts';
import { SecretProblem } from '../problem.ts';
import { vaultToken } from './tokens.ts';

const API_VERSION = '7.4';
/** Whom a token is for: vaults of the public cloud, unless the host names another one. */
const RESOURCES: Readonly<Record<string, string>> = {
  '.vault.azure.cn': 'https://vault.azure.cn',
  '.vault.usgovcloudapi.net': 'https://vault.usgovcloudapi.net',
};
const PUBLIC_RESOURCE = 'https://vault.azure.net';

/** Azure Key Vault. */
export const azureKeyVault: SecretManager = {
  wayMember: 'azure_auth_mode',
  ways: {
    entra: {
      required: [
        'azure_entra_tenant_id',
        'azure_entra_client_id',
        'azure_entra_client_secret',
        'azure_vault_url',
      ],
    },
    managed: { required: ['azure_vault_url'], optional: ['azure_managed_client_id'], borrows: true },
    default: { required: ['azure_vault_url'], borrows: true },
  },
  members: {
    azure_entra_tenant_id: { pattern: /^[\w.-]{1,255}$/ },
    azure_entra_client_id: { pattern: /^[\w.-]{1,255}$/ },
    azure_entra_client_secret: { masked: true },
    azure_managed_client_id: { pattern: /^[\w.-]{1,255}$/ },
    azure_vault_url: { isAddress: true },
  },
  pathProblem: (path) =>
    /^[0-9A-Za-z-]{1,127}(?:\/[0-9A-Za-z]{1,64})?$/.test(path)
      ? null
      : 'the name of a secret, with or without `/` and a version',
  addressOf: ({ azure_vault_url: url = '' }) => url,
  async read(request) {
    const { auth, path, ask, identity } = request;
    const address = azureKeyVault.addressOf(auth, identity);
    const { hostname } = new URL(address);
    const cloud = Object.keys(RESOURCES).find((end) => hostname.endsWith(end));
    const token = await vaultToken(request, (cloud && RESOURCES[cloud]) ?? PUBLIC_RESOURCE);
    const answer = await ask({
      method: 'GET',
      url: `${address.replace(/\/+$/, '')}/secrets/${path}?api-version=${API_VERSION}`,
      headers: { authorization: `Bearer ${token}`, accept: 'application/json' },
    });
    requireServing(answer, 'Azure Key Vault');
    if (answer.status === 404) throw new SecretProblem('missing', 'Azure Key Vault has no such secret.');
    if (answer.status !== 200)
      throw new SecretProblem(
        'denied',
        `Azure Key Vault does not give this secret (status ${answer.status}).`,
      );
    const value = isObject(answer.json) ? answer.json.value : undefined;
    if (typeof value === 'string') return SecretContent.ofText(value);
    throw new SecretProblem('unreadable', 'Azure Key Vault answered no secret.');
  },
};
