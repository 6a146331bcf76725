/** A deviation that is meant, or known, with its reason; `*` stands for anything. */
export type Exception = { deviation: string; reason: string };

const because = (reason: string, ...deviations: string[]): Exception[] =>
  deviations.map((deviation) => ({ deviation, reason }));

/** The deviations from the contract. One that is none any more must not be here. */
export const exceptions: Exception[] = [
  ...because(
    'Rate and usage limits are not there yet; a body that names them is refused.',
    '*.rate_limits: missing',
    '*.usage_limits: missing',
    '*.reset_usage: missing',
    '*.alert_emails: missing',
    '*.last_reset_at: missing',
  ),
  ...because(
    'A key is rotated when somebody asks for it, not by itself; a body that names a policy is refused.',
    '*.rotation_policy: missing',
  ),
  ...because('There are no secret references yet.', '*.secret_mappings: missing'),
  ...because('A workspace has one name, whatever the format.', 'getWorkspace query.name_format: missing'),
  ...because(
    'An organisation-wide key has no workspace whose config and metadata could be its defaults.',
    'createOrganisationServiceApiKey body.defaults: missing',
  ),
  ...because(
    'True as well, unless allowed_workspaces names some: to name some while all may would restrict nothing.',
    'createDeployment body.allow_all_workspaces: default none in place of True',
  ),
  ...because(
    'Both spellings are taken; the description has the one that all other members have.',
    'createConfig body.isDefault: missing',
    'createConfig body.is_default: not in the contract',
    'listUsers query.*age*',
    'listUserInvites query.*age*',
  ),
  ...because(
    'Shown or taken beyond the contract, where lists and reads would differ otherwise.',
    'getConfig 200.data.owner_id: not in the contract',
    'getConfig 200.data.updated_by: not in the contract',
    'listIntegrationModels 200.models[].configurations: not in the contract',
    'createProvider body.tags: not in the contract',
    'updateProvider body.tags: not in the contract',
  ),
  ...because(
    'Every list is bounded, and a long one of policies is narrowed.',
    'listConfigVersions query.*: not in the contract',
    'listAccessPolicies query.*: not in the contract',
    'listLogExports query.*: not in the contract',
  ),
  ...because(
    'What may administer policies is a permission of roles, which the contract has no list of.',
    'createAccessPolicy scope iam.access_policy: not in the contract',
    'listAccessPolicies scope iam.access_policy: not in the contract',
    'deleteAccessPolicy scope iam.access_policy: not in the contract',
  ),
  ...because('Nothing is set for a member of a workspace.', '*.settings: missing'),
  ...because(
    'A request to take in nobody, or somebody without a role, is a mistake.',
    'createWorkspaceMembers body.users*: required',
  ),
  ...because('Where a caller sits is not looked up.', 'listAuditLogs *.country: missing'),
  ...because(
    'Access tokens of service accounts and JWTs act too.',
    'listAuditLogs query.user_type: has a value service_account',
    'listAuditLogs query.user_type: has a value jwt',
  ),
  ...because('Every method may be asked for.', 'listAuditLogs query.method: any text*'),
  ...because(
    'Prices are also there without a version, as the notes of the contract say.',
    '* base root: not in the contract',
  ),
  ...because('Nothing records prompts yet.', '*.prompt_*: missing'),
  ...because(
    'Metadata is one object, as callers sent it.',
    'getLog 200.metrics.metadata.*: missing',
    'getLog 200.metrics.metadata: not in the contract',
  ),
  ...because(
    "What belongs to another gateway's inside has no counterpart here.",
    'getLog 200.metrics.internal_trace_id: missing',
    'getLog 200.metrics.log_store_file_path_format: missing',
    'getLog 200.metrics.request_parsing_time: missing',
    'getLog 200.metrics.pre_processing_time: missing',
    'getLog 200.metrics.cache_processing_time: missing',
    'getLog 200.metrics.response_parsing_time: missing',
    'getLog 200.log_format: missing',
  ),
  ...because(
    'The models may be seen with a third scope.',
    'listModels scope virtual_keys.list: not in the contract',
    'getModel scope virtual_keys.list: not in the contract',
  ),
  ...because(
    'Whoever may infer or write logs may see a log.',
    'getLog scope completions.write: not in the contract',
    'getLog scope logs.read: not in the contract',
    'getLog scope logs.write: not in the contract',
  ),
  ...because('The note of the operation names it.', 'connectRealtime query.model: not in the contract'),
  ...because(
    'Long input has prices of its own, which logs are charged with.',
    'getModelPricing 200.long_input: not in the contract',
  ),
  ...because(
    'The contract leaves these summaries open.',
    'getCacheLatencyGraph 200.summary.avg: not in the contract',
    'getFeedbackByModelGraph 200.summary.total: not in the contract',
  ),
];
