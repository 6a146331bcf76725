import { builtInRoles } from '../../../src/auth/index.ts';
import { uuid } from '../../../src/lib/ids.ts';
import type { Tenant } from '../../support/app.ts';
import { FIRST_STEP } from '../../support/filled-threads.ts';
import type { Values } from './arguments.ts';

/** Values that no type tells, by coordinate of the argument or input member. Add a row for what the matrix asks for. */
export const hints: Values = {
  'CreateIntegrationInput.aiProviderId': 'openai',
  // The mock answers in this process.
  'Mutation.testIntegration.input': { aiProviderId: 'mock' },
  'Mutation.testIntegration.id': null,
  'CreateVirtualKeyInput.provider': 'openai',
  'CreateMcpIntegrationInput.authType': 'none',
  // A tool of each MCP integration in test/support/filled-mcp.ts.
  'McpCapabilityInput.name': 'item-0',
  'McpIntegrationWorkspaceInput.id': '<workspace>',
  'Mutation.revokeMcpServerConnection.userId': '<user>',
  'UpdateMcpUserAccessInput.defaultUserAccess': 'allow',
  // What documents do, and for whom, test/subgraphs/identity/bundle-changes.test.ts shows.
  'PlanBundleInput.documents': [],
  'ApplyBundleInput.documents': [],
  'CreateAccessPolicyInput.resource': 'prn:<tenant>::::',
  'CreateAccessPolicyInput.role': 'organisation_member',
  'CreateConfigInput.config': { retry: { attempts: 1 } },
  'GuardrailCheckInput.id': 'default.wordCount',
  'CreateGuardrailInput.organisationId': null,
  'Mutation.restoreGuardrailVersion.versionId': '<own.versionId>',
  'Query.guardrailVersions.guardrailId': '<guardrail>',
  'GuardrailExclusionInput.workspaceId': '<workspace>',
  // A choice that no thread of the matrix comes under: which threads go, and whose, test/runs/erasure.test.ts shows.
  'EraseThreadsInput.metadata': { person: 'nobody' },
  'Query.run.threadId': '<own.threadId>',
  'Query.runSteps.runId': '<run>',
  'Query.runSteps.threadId': '<run.threadId>',
  'Query.runStep.runId': '<run>',
  'Query.runStep.threadId': '<run.threadId>',
  'Query.runStep.id': FIRST_STEP,
  'Mutation.updateRun.threadId': '<own.threadId>',
  'Mutation.cancelRun.threadId': '<own.threadId>',
  'Mutation.submitToolOutputs.runId': '<run>',
  'Mutation.submitToolOutputs.threadId': '<run.threadId>',
  'CreateBatchInput.inputFileId': '<file>',
  'CreateBatchInput.endpoint': '/v1/embeddings',
  'ToolOutputInput.toolCallId': 'call_none',
  'CreateThreadMessageInput.content': 'Hello',
  'Query.threadMessage.threadId': '<own.threadId>',
  'Mutation.updateThreadMessage.threadId': '<own.threadId>',
  'Mutation.deleteThreadMessage.id': '<thread-message>',
  'Mutation.deleteThreadMessage.threadId': '<thread-message.threadId>',
  'SearchVectorStoreInput.query': 'Where is it?',
  'VectorStoreExpiryInput.anchor': 'last_active_at',
  'CreateVectorStoreFileBatchInput.fileIds': ['<file>'],
  'Query.vectorStoreFile.id': '<own.fileId>',
  'Query.vectorStoreFile.vectorStoreId': '<own.storeId>',
  'Query.vectorStoreFileContent.id': '<vector-store-file.fileId>',
  'Query.vectorStoreFileContent.vectorStoreId': '<vector-store-file.storeId>',
  'Mutation.updateVectorStoreFile.id': '<vector-store-file.fileId>',
  'Mutation.updateVectorStoreFile.vectorStoreId': '<vector-store-file.storeId>',
  'Mutation.deleteVectorStoreFile.id': '<vector-store-file.fileId>',
  'Mutation.deleteVectorStoreFile.vectorStoreId': '<vector-store-file.storeId>',
  'Query.vectorStoreFileBatch.vectorStoreId': '<own.storeId>',
  'Query.vectorStoreFileBatchFiles.batchId': '<vector-store-file-batch>',
  'Query.vectorStoreFileBatchFiles.vectorStoreId': '<vector-store-file-batch.storeId>',
  'Mutation.cancelVectorStoreFileBatch.id': '<vector-store-file-batch>',
  'Mutation.cancelVectorStoreFileBatch.vectorStoreId': '<vector-store-file-batch.storeId>',
  'Query.searchVectorStore.id': '<vector-store>',
  'SimulateConfigInput.config': { retry: { attempts: 1 } },
  'ValidateConfigInput.config': { retry: { attempts: 1 } },
  'Mutation.restoreConfigVersion.versionId': '<own.versionId>',
  // Whoever gives a scope must hold it, and these are asked for by callers that hold one alone.
  'CreateOrganisationServiceApiKeyInput.scopes': ['organisation_service_api_keys.create'],
  'CreateRoleInput.permissions': ['iam.custom_role'],
  'CreateWorkspaceServiceApiKeyInput.scopes': ['workspace_service_api_keys.create'],
  'CreateWorkspaceUserApiKeyInput.scopes': ['completions.write'],
  // Whoever gives a role must hold what it allows, and a member of the organisation may do nothing.
  'CreateInviteInput.role': 'member',
  'UpdateUserInput.role': 'member',
  'InviteWorkspaceInput.role': 'member',
  'MemberInput.role': 'member',
  'UpdateMemberInput.role': 'member',
  'InviteWorkspaceInput.id': '<workspace>',
  'IntegrationWorkspaceInput.id': '<workspace>',
  'CreateSecretReferenceInput.managerType': 'hashicorp_vault',
  // Nobody listens there: a test of a reference answers that the manager is unreachable.
  'CreateSecretReferenceInput.authConfig': {
    vault_auth_type: 'token',
    vault_addr: 'http://127.0.0.1:8',
    vault_token: 'hvs.nobody',
  },
  'SecretMappingInput.targetField': 'key',
  'SecretMappingInput.secretReferenceId': '<secret-reference>',
  'MemberInput.id': '<user>',
  'CreateScimMappingInput.role': 'member',
  // A model of each integration in test/support/filled-tenant.ts.
  'Mutation.deleteIntegrationModels.slugs': ['item-0'],
  'CreateRateLimitPolicyInput.value': 60,
  'Query.limitCounters.limitId': 'policy:none',
  'Query.limitHistory.limitId': 'policy:none',
  'TestGuardrailsInput.text': 'hello',
  'CheckAdmissionInput.path': '/v1/models',
  'CheckAdmissionInput.method': 'GET',
  'CheckAdmissionInput.apiKeyId': '<api-key>',
  'LimitConditionInput.key': 'api_key',
  'LimitConditionInput.value': '*',
  'LimitGroupInput.key': 'api_key',
  'Mutation.deleteMember.userId': '<member.userId>',
  'Mutation.updateMember.userId': '<member.userId>',
  'Query.logExportDownload.id': '<log-export>',
  'Query.member.userId': '<member.userId>',
  'CreateScimMappingInput.scimGroupId': '<scim-group>',
  'Mutation.insertLogs.input': {
    request: { url: 'https://provider.example', body: {} },
    response: { body: {} },
  },
  'Query.analytics.workspaceSlug': '<workspace>',
  'Query.logGroups.workspaceSlug': '<workspace>',
  'Query.webhookDeliveries.endpointId': '<webhook-endpoint>',
  'Query.usageLimitPolicyEntities.policyId': '<usage-limit-policy>',
  'Mutation.resetUsageLimitPolicyEntity.policyId': '<usage-limit-policy>',
  'Mutation.resetUsageLimitPolicyEntity.id': 'none',
  'CreateWebhookEndpointInput.url': 'http://127.0.0.1:8/',
  'UpdateWebhookEndpointInput.url': 'http://127.0.0.1:8/',
  'Query.auditLogFacets.endTime': '2027-01-01T00:00:00Z',
  'Query.auditLogFacets.startTime': '2025-01-01T00:00:00Z',
  'Query.auditLogs.endTime': '2027-01-01T00:00:00Z',
  'Query.auditLogs.startTime': '2025-01-01T00:00:00Z',
};

const givesRole = {
  scopes: [...(builtInRoles.get('workspace_member') ?? [])],
  reason: 'nobody gives a role that allows more than they may do',
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
  'Mutation.createInvite': givesRole,
  'Mutation.resendInvite': givesRole,
  'Mutation.createMembers': givesRole,
  'Mutation.createScimMapping': givesRole,
  'Mutation.updateMember': givesRole,
  'Mutation.transferOwnership': {
    scopes: [...(builtInRoles.get('organisation_owner') ?? [])],
    reason: 'where there is no owner, whoever may do everything names one',
  },
  'Mutation.revokeSignIn': {
    scopes: ['organisation_users.update'],
    reason: 'without it a credential reaches its own sign-ins alone, as test/console/sign-in.test.ts shows',
  },
  'Mutation.revokeMcpGrant': {
    scopes: ['organisation_users.update'],
    reason: 'without it a credential reaches grants of its own user alone, as mcp/oauth/grants.test.ts shows',
  },
  'Mutation.updateApiKey': {
    scopes: ['completions.write'],
    reason: 'nobody changes a key that may do more than they may',
  },
  'Mutation.deleteApiKey': {
    scopes: ['completions.write'],
    reason: 'nobody deletes a key that may do more than they may',
  },
  'Mutation.revealApiKey': {
    scopes: ['completions.write'],
    reason: 'whoever gets the new secret of a key can do what the key can',
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
  'Mutation.createRun':
    'a run would go on while the matrix is walked: its assistant has a tool that is not there',
  'Mutation.createThreadAndRun': 'as for createRun',
  'Mutation.cancelRun': 'a run that goes on would end while the matrix is walked',
  'Mutation.submitToolOutputs': 'a run that waits would go on while the matrix is walked',
  'Mutation.createVectorStoreFile':
    'a file would be indexed while the matrix is walked: its store is expired',
  'Mutation.createVectorStoreFileBatch': 'as for createVectorStoreFile',
  'Query.searchVectorStore': 'as for createVectorStoreFile',
  'Mutation.createBatch': 'a batch would go on while the matrix is walked: its file is for something else',
  'Mutation.cancelBatch': 'as for cancelRun',
  'Mutation.cancelLogExport': 'an export in progress would be taken up while the matrix is walked',
  'Mutation.identifyApiKey': 'the secrets of the keys that the matrix copies are known to nobody',
  'Mutation.revealApiKey':
    'a key whose policy made a secret is turned by no walk, as identity/api-key-policy.test.ts does',
  'Mutation.sendTestWebhook': 'a message would be on its way while the matrix is walked',
  'Mutation.revokeMcpServerConnection':
    'users make connections at servers outside, as rest-compat/mcp-server.test.ts shows',
  'Mutation.updateMcpIntegrationCapabilities':
    'copies of integrations offer nothing, as rest-compat/mcp-server.test.ts shows otherwise',
  'Mutation.retryWebhookDeliveries': 'a message would be on its way while the matrix is walked',
  'Mutation.resetUsageLimitPolicyEntity': 'calls make entities, as rest-compat/limit-entities.test.ts shows',
  'Query.logExportDownload': 'an export that succeeded has a content, which its copies would not have',
};

/** What a copy of a document has in place of what its original has, by resource. */
export const changesOf = ({ tsgId }: Tenant): Record<string, () => Values> => ({
  'api-key': () => ({ scopes: ['completions.write'] }),
  // A run with it is refused, so that none goes on.
  assistant: () => ({ tools: [{ type: 'code_interpreter' }] }),
  'vector-store': () => ({ expiresAfterDays: 1, expiresAt: new Date(Date.now() - 3_600_000) }),
  // Nobody changes a role that allows more than they may.
  role: () => ({ permissions: ['iam.custom_role'] }),
  // A token reaches the tenants below its own.
  tenant: () => ({ ancestors: [tsgId], organisationId: uuid() }),
});
