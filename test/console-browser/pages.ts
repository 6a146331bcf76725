/** A page as the tests that hold for all pages need it. */
export type TestedPage = {
  path: string;
  /** The workspace where there is something to see; all of them unless given. */
  workspace?: string;
  /** Its heading. */
  title: string;
  /** The operation without whose answer it shows nothing. */
  operation: string;
  /** What it asks beside that once it stands. */
  later?: readonly string[];
  /** What is to be seen once the answer is there. */
  filled: RegExp;
  /** What a fresh workspace shows, at the path that is named; null where the one that these tests make is not empty. */
  empty: RegExp | null;
  emptyPath?: string;
  /** Without which nobody sees it. */
  scope: string;
};

export const testedPages: readonly TestedPage[] = [
  {
    path: 'home',
    title: 'Home',
    operation: 'Home',
    filled: /requests, .* errors, \$/,
    empty: /No requests in this time/,
    scope: 'analytics.view',
  },
  {
    path: 'spend',
    title: 'Spend',
    operation: 'Spend',
    filled: /Last 30 days: \$/,
    empty: /No priced requests yet/,
    scope: 'analytics.view',
  },
  {
    path: 'logs',
    title: 'Logs',
    operation: 'LogsOpen',
    filled: /^gpt|^claude|^mock/,
    empty: /No request in this time/,
    scope: 'logs.list',
  },
  {
    path: 'keys',
    title: 'Keys',
    operation: 'Keys',
    filled: /search-api/,
    empty: null,
    scope: 'api_keys.list',
  },
  {
    path: 'playground',
    workspace: 'research',
    title: 'Playground',
    operation: 'PlaygroundChoices',
    filled: /Config of A/,
    empty: /Explain in two sentences/,
    scope: 'models.list',
  },
  {
    path: 'providers',
    title: 'Providers',
    operation: 'Providers',
    filled: /\d providers; /,
    empty: null,
    scope: 'integrations.list',
  },
  {
    path: 'configs',
    workspace: 'search',
    title: 'Configs',
    operation: 'Configs',
    filled: /2 configs; calls that name none/,
    empty: /No config yet/,
    scope: 'configs.list',
  },
  {
    path: 'guardrails',
    title: 'Guardrails',
    operation: 'Guardrails',
    filled: /3 guardrails, of which 1 refuses/,
    empty: /No guardrail yet/,
    scope: 'guardrails.list',
  },
  {
    path: 'mcp',
    workspace: 'search',
    title: 'MCP',
    operation: 'McpServers',
    filled: /Search tools/,
    empty: /No MCP server yet/,
    scope: 'mcp_servers.list',
  },
  {
    path: 'assistants',
    workspace: 'support',
    title: 'Assistants',
    operation: 'Assistants',
    filled: /No assistant yet/,
    empty: /No assistant yet/,
    scope: 'completions.write',
  },
  {
    path: 'assistants?view=files',
    workspace: 'support',
    title: 'Assistants',
    operation: 'Files',
    filled: /No file yet/,
    empty: /No file yet/,
    scope: 'completions.write',
  },
  {
    path: 'assistants?view=stores',
    workspace: 'support',
    title: 'Assistants',
    operation: 'VectorStores',
    filled: /No vector store yet/,
    empty: /No vector store yet/,
    scope: 'completions.write',
  },
  {
    path: 'assistants?view=batches',
    workspace: 'support',
    title: 'Assistants',
    operation: 'Batches',
    filled: /No batch yet/,
    empty: /No batch yet/,
    scope: 'completions.write',
  },
  {
    path: 'limits',
    title: 'Limits',
    operation: 'Limits',
    filled: /\d budgets and 1 rate of policies/,
    empty: /No limit yet/,
    scope: 'policies.list',
  },
  {
    path: 'access',
    title: 'Access',
    operation: 'Access',
    later: ['Identities'],
    filled: /\d people, 1 owner/,
    empty: /No open invites/,
    emptyPath: 'access?view=invites',
    scope: 'organisation_users.list',
  },
  {
    path: 'audit',
    title: 'Audit',
    operation: 'Audit',
    // The chain is walked while its first entries are read.
    later: ['AuditChain'],
    filled: /\d changes in this time/,
    empty: /Nobody has changed anything in this time/,
    emptyPath: 'audit?action=none',
    scope: 'audit_logs.list',
  },
  {
    path: 'settings',
    title: 'Settings',
    operation: 'Settings',
    filled: /Admins of the organisation/,
    empty: null,
    scope: 'organisation_settings.read',
  },
];
