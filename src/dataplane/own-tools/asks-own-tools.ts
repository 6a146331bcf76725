import { isObject, type JsonObject } from '../../lib/json.ts';
import type { Call } from '../call/call.ts';

/** What the label of an MCP server begins with that the gateway itself asks; its slug follows. */
export const OWN_LABEL = '@gateway-mcp/';

/** Whether a label names an MCP server of the gateway. */
export const isOwnLabel = (label: unknown): label is string =>
  typeof label === 'string' && label.startsWith(OWN_LABEL);

const endpoints: ReadonlySet<string> = new Set(['chatComplete', 'createResponse', 'messages']);

/** Whether a call gives its model tools of MCP servers that the gateway itself is to run. */
export const asksOwnTools = ({ route, method, body }: Pick<Call, 'route' | 'method' | 'body'>): boolean =>
  body.kind === 'json' && method === 'POST' && endpoints.has(route.endpoint) && namesOwn(body.value);

const namesOwn = ({ tools, mcp_servers: servers }: JsonObject): boolean =>
  (Array.isArray(tools) && tools.some((tool) => isObject(tool) && isOwnLabel(tool.server_label))) ||
  (Array.isArray(servers) && servers.some((server) => isObject(server) && isOwnLabel(server.name)));
