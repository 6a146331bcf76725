import { uuid } from '../../../src/lib/ids.ts';
import type { Tenant } from '../../support/app.ts';
import type { Values } from './arguments.ts';

/** Values that no type tells, by coordinate of the argument or input member. Add a row for what the matrix asks for. */
export const hints: Values = {
  'CreateIntegrationInput.aiProviderId': 'openai',
  'CreateAccessPolicyInput.resource': 'prn:<tenant>::::',
  'CreateAccessPolicyInput.role': 'organisation_member',
  'CreateConfigInput.config': { retry: { attempts: 1 } },
  // Whoever gives a scope must hold it, and these are asked for by callers that hold one alone.
  'CreateOrganisationServiceApiKeyInput.scopes': ['organisation_service_api_keys.create'],
  'CreateRoleInput.permissions': ['iam.custom_role'],
  'CreateWorkspaceServiceApiKeyInput.scopes': ['workspace_service_api_keys.create'],
  'CreateWorkspaceUserApiKeyInput.scopes': ['completions.write'],
  'InviteWorkspaceInput.id': '<workspace>',
  'IntegrationWorkspaceInput.id': '<workspace>',
  'MemberInput.id': '<user>',
  // A model of each integration in test/support/filled-tenant.ts.
  'Mutation.deleteIntegrationModels.slugs': ['item-0'],
  'Mutation.deleteMember.userId': '<member.userId>',
  'Mutation.updateMember.userId': '<member.userId>',
  'Query.logExportDownload.id': '<log-export>',
  'Query.member.userId': '<member.userId>',
  'Mutation.insertLogs.input': {
    request: { url: 'https://provider.example', body: {} },
    response: { body: {} },
  },
  'Query.analytics.workspaceSlug': '<workspace>',
  'Query.logGroups.workspaceSlug': '<workspace>',
  'Query.auditLogs.endTime': '2027-01-01T00:00:00Z',
  'Query.auditLogs.startTime': '2025-01-01T00:00:00Z',
};

/** What a call needs beyond its own scope, by coordinate; each with the reason. */
export const companions: Record<string, { scopes: string[]; reason: string }> = {
  'Mutation.insertLogs': {
    scopes: ['completions.write'],
    reason: 'a log stands for a request',
  },
  'Query.log': {
    scopes: ['logs.view'],
    reason: 'two of the scopes open only the logs of the credential itself, as insights/log.test.ts shows',
  },
  'Mutation.updateApiKey': {
    scopes: ['completions.write'],
    reason: 'nobody changes a key that may do more than they may',
  },
  'Mutation.deleteApiKey': {
    scopes: ['completions.write'],
    reason: 'nobody deletes a key that may do more than they may',
  },
  'Mutation.rotateApiKey': {
    scopes: ['completions.write'],
    reason: 'whoever gets the new secret of a key can do what the key can',
  },
  'Mutation.createWorkspaceUserApiKey': {
    scopes: ['completions.write'],
    reason: 'it gives this scope, and a key of that type cannot hold the scope of its own making',
  },
};

/** What only documents in another state allow, with the reason: whoever comes in is told so. */
export const stateful: Record<string, string> = {
  'Mutation.cancelLogExport': 'an export in progress would be taken up while the matrix is walked',
  'Query.logExportDownload': 'an export that succeeded has a content, which its copies would not have',
};

/** What a copy of a document has in place of what its original has, by resource. */
export const changesOf = ({ tsgId }: Tenant): Record<string, () => Values> => ({
  'api-key': () => ({ scopes: ['completions.write'] }),
  // Nobody changes a role that allows more than they may.
  role: () => ({ permissions: ['iam.custom_role'] }),
  // A token reaches the tenants below its own.
  tenant: () => ({ ancestors: [tsgId], organisationId: uuid() }),
});
