import type { JsonObject } from '../../lib/json.ts';
import {
  LATEST_LEGACY,
  legacyVersions,
  METHOD_NOT_FOUND,
  MODERN_VERSION,
  type RpcRequest,
  type RpcResponse,
  SERVER_INFO,
} from '../upstream/message.ts';
import { mockPrompts, mockResources, mockTemplates, mockTools, readMock, runMockTool } from './offers.ts';

const serverInfo = {
  name: 'sluice-mock',
  title: 'Mock',
  version: '1.0.0',
  description: 'The MCP server that is built into the gateway, for a first try and for tests.',
};

const capabilities = { tools: {}, prompts: {}, resources: {} };
const instructions =
  'Tools that need nothing: echo repeats a text, add adds two numbers, get-time tells the time.';
/** Names of the modern era, which legacy callers have no use for. */
const kept = { ttlMs: 60_000, cacheScope: 'public' };

class MockError extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

type Method = (params: JsonObject) => JsonObject;

const methods: Readonly<Record<string, Method>> = {
  'server/discover': () => ({ supportedVersions: [MODERN_VERSION], capabilities, instructions, ...kept }),
  initialize: ({ protocolVersion }) => ({
    protocolVersion: legacyVersions.find((version) => version === protocolVersion) ?? LATEST_LEGACY,
    capabilities,
    serverInfo,
    instructions,
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools: mockTools, ...kept }),
  'prompts/list': () => ({ prompts: mockPrompts, ...kept }),
  'resources/list': () => ({ resources: mockResources, ...kept }),
  'resources/templates/list': () => ({ resourceTemplates: mockTemplates, ...kept }),
  'tools/call': ({ name, arguments: given }) => required(runMockTool(name, given), 'Unknown tool'),
  'prompts/get': ({ name, arguments: given }) => required(promptText(name, given), 'Unknown prompt'),
  'resources/read': ({ uri }) => required(readMock(uri), 'Unknown resource'),
};

function promptText(name: unknown, given: unknown): JsonObject | null {
  if (name !== 'greeting') return null;
  const who = String((given as JsonObject | undefined)?.name ?? 'somebody');
  const text = `Write a short greeting for ${who}.`;
  return { messages: [{ role: 'user', content: { type: 'text', text } }] };
}

function required(found: JsonObject | null, problem: string): JsonObject {
  if (found === null) throw new MockError(-32602, problem);
  return found;
}

/** The built-in MCP server: it answers in this process, in both eras, and keeps nothing. Null for a notice. */
export function answerMock({ id, method, params = {} }: RpcRequest): RpcResponse | null {
  if (id === undefined) return null;
  const isModern = `${method}` === 'server/discover' || '_meta' in params;
  const known = Object.hasOwn(methods, method) ? methods[method] : undefined;
  if (!known) return { id, error: { code: METHOD_NOT_FOUND, message: 'Method not found' } };
  try {
    const result = known(params);
    return {
      id,
      result: isModern ? { resultType: 'complete', ...result, _meta: { [SERVER_INFO]: serverInfo } } : result,
    };
  } catch (error) {
    if (!(error instanceof MockError)) throw error;
    return { id, error: { code: error.code, message: error.message } };
  }
}
