import { dataOf } from '../../subgraphs/support.ts';
import type { TestApp } from '../app.ts';
import { TOKEN } from './vault.ts';

export const createReference = `mutation ($input: CreateSecretReferenceInput!) {
  createSecretReference(input: $input) {
    id slug name description managerType authConfig secretPath secretKey allowAllWorkspaces allowedWorkspaceIds tags status
    createdBy
  }
}`;

/** A reference to a Vault at this address, with a token; `change` goes before. */
export const vaultInput = (address: string, change: object = {}) => ({
  name: 'Vault',
  managerType: 'hashicorp_vault',
  authConfig: { vault_auth_type: 'token', vault_addr: address, vault_token: TOKEN },
  secretPath: 'secret/data/openai',
  ...change,
});

export const makeReference = async (app: TestApp, input: object, key?: string) =>
  dataOf(await app.graphql(createReference, { input }, key)).createSecretReference;

/** What the manager answered to a reference. */
export const testReference = async (app: TestApp, id: string) =>
  dataOf(
    await app.graphql(
      'mutation ($id: ID!) { testSecretReference(id: $id) { outcome message members duration } }',
      { id },
    ),
  ).testSecretReference as { outcome: string; message: string; members: string[]; duration: number };
