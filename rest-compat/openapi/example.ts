import type { Schema } from './document.ts';
import { resolved, type Schemas } from './resolve.ts';

const checks = [
  { id: 'default.wordCount', name: 'Short', parameters: { minWords: 1, maxWords: 500 }, is_enabled: true },
];

const capabilities = { capabilities: [{ name: 'delete_issue', type: 'tool', enabled: false }] };

const message = { role: 'user', content: 'Where is the nearest library?' };
const assistantId = 'asst_7c9e6679742540de944be07fc1f90ae7';
const fileId = 'file-7c9e6679742540de944be07fc1f90ae7';

/** Bodies of which the members alone do not say what a caller must send, by the name of the operation. */
const byOperation: Record<string, unknown> = {
  checkGuardrails: { text: message.content, checks },
  createAssistant: { model: '@openai-main/gpt-4o', instructions: 'Answer in one sentence.' },
  updateAssistant: { instructions: 'Answer in two sentences.' },
  createThread: { messages: [message] },
  updateThread: { metadata: { team: 'search' } },
  createThreadMessage: message,
  createRun: { assistant_id: assistantId },
  createThreadAndRun: { assistant_id: assistantId, thread: { messages: [message] } },
  createVectorStore: { name: 'Manuals', expires_after: { anchor: 'last_active_at', days: 30 } },
  updateVectorStore: { name: 'Old manuals' },
  searchVectorStore: {
    query: 'How is the filter cleaned?',
    filters: { type: 'eq', key: 'language', value: 'en' },
    max_num_results: 5,
  },
  createVectorStoreFile: { file_id: fileId, attributes: { language: 'en' } },
  updateVectorStoreFile: { attributes: { language: 'en', year: 2026 } },
  createVectorStoreFileBatch: { file_ids: [fileId] },
  submitRunToolOutputs: {
    tool_outputs: [{ tool_call_id: 'call_9a8b7c6d5e4f', output: 'The library in Main Street.' }],
  },
  createMcpIntegration: {
    name: 'Issue tracker',
    url: 'https://tracker.example.com/mcp',
    auth_type: 'headers',
    transport: 'http',
    configurations: { headers: { Authorization: 'Bearer the-token-of-the-tracker' } },
  },
  updateMcpIntegration: { description: 'Issues of all teams.' },
  createMcpServer: {
    workspace_id: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
    name: 'Issues',
    mcp_integration_id: 'issue-tracker',
  },
  updateMcpIntegrationCapabilities: capabilities,
  updateMcpServerCapabilities: capabilities,
  updateMcpServerUserAccess: { default_user_access: 'deny' },
  createBatch: {
    input_file_id: 'file-0190a6d4c5b67e2f8a1b3c4d5e6f7a8b',
    endpoint: '/v1/chat/completions',
    completion_window: '24h',
  },
  insertLogs: {
    request: {
      url: 'https://api.example.com/v1/chat/completions',
      provider: 'openai',
      body: { model: 'gpt-4o' },
    },
    response: { status: 200, body: { usage: { prompt_tokens: 9, completion_tokens: 12, total_tokens: 21 } } },
    metadata: { team: 'search', _user: 'ada' },
  },
};

/** Values that say more than their type, by the name of the member. */
const byName: Record<string, unknown> = {
  id: 'f3b1c2d4-5e6f-4a7b-8c9d-0e1f2a3b4c5d',
  _id: 'f3b1c2d4-5e6f-4a7b-8c9d-0e1f2a3b4c5d',
  organisation_id: '0b8f4c1e-6d2a-4f3b-9a7c-5e1d2c3b4a59',
  workspace_id: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
  version_id: '9a8b7c6d-5e4f-4a3b-8c2d-1e0f9a8b7c6d',
  user_id: '2d3c4b5a-6978-4899-8aab-bccddeeff001',
  owner_id: '2d3c4b5a-6978-4899-8aab-bccddeeff001',
  updated_by: '2d3c4b5a-6978-4899-8aab-bccddeeff001',
  integration_id: 'openai-main',
  ai_provider_id: 'openai',
  provider: 'openai',
  name: 'Search team',
  slug: 'search-team',
  description: 'For the search team',
  scopes: ['logs.list', 'logs.view'],
  conditions: [{ key: 'metadata.team', value: 'search', excludes: 'trial' }],
  group_by: [{ key: 'metadata._user' }],
  config: { strategy: { mode: 'single' }, targets: [{ provider: '@openai-main' }] },
  configurations: { custom_host: 'https://api.example.com/v1' },
  defaults: { metadata: { team: 'search' } },
  metadata: { team: 'search' },
  tags: { team: 'search' },
  path: '/v1/chat/completions',
  principal: 'ci@1234567890.iam.sluice.local',
  resource: 'prn:1234567890::::',
  role: 'view_only_admin',
  email: 'ada@example.com',
  first_name: 'Ada',
  last_name: 'Lovelace',
  invite_link: 'https://gateway.example.com/invites/sl-…',
  checks,
  input_guardrail: 'gr-short-questions-1a2b3c',
  output_guardrail: 'gr-short-answers-4d5e6f',
  pricing_config: { type: 'static', pay_as_you_go: { request_token: { price: 0.001 } } },
};

const byFormat: Record<string, string> = {
  'date-time': '2026-03-01T12:00:00.000Z',
  email: 'ada@example.com',
  uri: 'https://gateway.example.com/v1',
  uuid: 'f3b1c2d4-5e6f-4a7b-8c9d-0e1f2a3b4c5d',
};

/** A value of the schema: all members of an answer, of a request what it needs and no more. */
export function exampleValue(
  schema: Schema,
  components: Schemas,
  { of = 'answer', name = '' }: { of?: 'answer' | 'request'; name?: string } = {},
): unknown {
  return byOperation[name] ?? value(schema, name, []);

  function value(schema: Schema, name: string, above: readonly Schema[]): unknown {
    const own = resolved(schema, components);
    if (own.example !== undefined) return own.example;
    if (own.enum) return own.enum[0];
    if (own.type === 'object') return members(own, [...above, schema]);
    const known = byName[name];
    if (known !== undefined && fits(known, own)) return known;
    return own.type === 'array' ? items(own, name, above) : scalar(own, name);
  }

  function members(schema: Schema, above: readonly Schema[]): Record<string, unknown> {
    const properties = Object.entries(schema.properties ?? {});
    const needed = properties.filter(([name]) => schema.required?.includes(name));
    // No member of an update is required, but an empty example would show nothing.
    const shown = of === 'answer' ? properties : needed.length > 0 ? needed : properties.slice(0, 1);
    return Object.fromEntries(shown.map(([name, member]) => [name, value(member, name, above)]));
  }

  function items(schema: Schema, name: string, above: readonly Schema[]): unknown[] {
    const item = schema.items ?? {};
    return above.includes(item) ? [] : [value(item, name.replace(/s$/, ''), above)];
  }
}

const fits = (example: unknown, { type, format }: Schema): boolean => {
  if (type === undefined) return true;
  if (type === 'array') return Array.isArray(example);
  return typeof example === type && format !== 'date-time';
};

function scalar(schema: Schema, name: string): unknown {
  if (schema.type === 'boolean') return true;
  if (schema.type === 'integer' || schema.type === 'number') return Math.max(schema.minimum ?? 1, 1);
  const formatted = schema.format && byFormat[schema.format];
  if (formatted) return formatted;
  if (schema.type === undefined) return {};
  return name === '' ? 'text' : name.replaceAll('_', '-').slice(0, schema.maxLength);
}
