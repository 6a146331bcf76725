import type { IncomingHttpHeaders } from 'node:http';
import type { KeyRecord } from '../../directory/memory.ts';

/** How a caller has proved who it is. */
export type McpAuthentication = 'api_key' | 'oauth' | 'jwt';

/** Whoever sends requests to an MCP server. */
export type McpCaller = {
  readonly key: KeyRecord;
  readonly authType: McpAuthentication;
  /** The client that an access token was issued to; null for every other credential. */
  readonly clientId: string | null;
  /** False for a token that may read lists, resources and prompts alone. */
  readonly mayCall: boolean;
  /** Of the request: the token of a person may stand beside the credential. */
  readonly headers: IncomingHttpHeaders;
  /** Where the pages of the gateway are, without a slash at the end. */
  readonly base: string;
};

/** Whoever holds a credential that is no token of an MCP client. */
export const callerWith = (key: KeyRecord, headers: IncomingHttpHeaders, base: string): McpCaller => ({
  ...{ key, clientId: null, mayCall: true, headers, base },
  authType: key.principal.kind === 'jwt' ? 'jwt' : 'api_key',
});

/** Tells one holder of credentials from another: what a session is bound to. */
export const callerKey = ({ key, clientId }: Pick<McpCaller, 'key' | 'clientId'>): string =>
  `${key.principal.kind}:${key.principal.id}${clientId === null ? '' : `@${clientId}`}`;
