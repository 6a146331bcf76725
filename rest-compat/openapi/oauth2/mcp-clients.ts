import { mcpPaths } from '../../oauth2/mcp.ts';
import type { OpenApiOperation, PathItem, Response, Schema } from '../document.ts';
import { answerReferences, requestReferences } from '../headers.ts';
import { oauth2Tag } from './service-accounts.ts';

const text = (description: string): Schema => ({ type: 'string', description });

const answer = (description: string, example: Record<string, unknown>): Response => ({
  description,
  headers: answerReferences(['x-request-id']),
  content: { 'application/json': { schema: { type: 'object', additionalProperties: true }, example } },
});

const refusal: Response = answer('Refused, in the words of RFC 6749 and its extensions.', {
  error: 'invalid_grant',
  error_description: 'The code or refresh token is not valid, was used, or is over.',
});

type Described = Pick<OpenApiOperation, 'operationId' | 'summary' | 'description'> & {
  fields: Record<string, Schema>;
  required: string[];
  example: Record<string, string>;
  responses: Record<string, Response>;
  security?: OpenApiOperation['security'];
};

const operation = ({
  fields,
  required,
  example,
  responses,
  security = [],
  ...said
}: Described): PathItem => ({
  post: {
    ...said,
    tags: [oauth2Tag.name],
    parameters: requestReferences(['x-request-id']),
    requestBody: {
      required: true,
      content: {
        'application/x-www-form-urlencoded': {
          schema: { type: 'object', required, properties: fields },
          example,
        },
      },
    },
    responses: { ...responses, '4XX': refusal },
    security,
  },
});

const clientFields = {
  client_id: text('As registered; or the https address of the document that describes the client.'),
  client_secret: text('Of a client that registered for one; it may come by HTTP basic authentication too.'),
  client_assertion: text('A JWT that the client has signed (RFC 7523), in place of a secret.'),
  client_assertion_type: text('`urn:ietf:params:oauth:client-assertion-type:jwt-bearer`'),
};

const token = operation({
  operationId: 'createMcpToken',
  summary: 'Get tokens for MCP servers',
  description:
    'By a code from `/oauth/authorize`, by a refresh token, or for a service key of a workspace, whose id and key are then the credentials of the client.',
  fields: {
    grant_type: { type: 'string', enum: ['authorization_code', 'refresh_token', 'client_credentials'] },
    ...clientFields,
    code: text('Counts once, for 60 seconds.'),
    code_verifier: text('Of PKCE with S256.'),
    redirect_uri: text('As at the authorization.'),
    refresh_token: text('Of the last answer.'),
    scope: text('`mcp`, `mcp:read` or `mcp:write`.'),
    resource: text('Address of the MCP server.'),
  },
  required: ['grant_type'],
  example: { grant_type: 'refresh_token', refresh_token: '…', client_id: 'mcp_…' },
  responses: {
    200: answer('The tokens.', {
      ...{ access_token: 'eyJ…', token_type: 'Bearer', expires_in: 3600, scope: 'mcp', refresh_token: '…' },
    }),
  },
});

const revoke = operation({
  operationId: 'revokeMcpToken',
  summary: 'Take tokens for MCP servers back',
  description: 'All tokens of the same grant end with it (RFC 7009).',
  fields: { token: text('An access or refresh token of the client.'), ...clientFields },
  required: ['token'],
  example: { token: '…', client_id: 'mcp_…' },
  responses: { 200: answer('The token is of no use any more, or never was.', {}) },
});

const introspect = operation({
  operationId: 'introspectMcpToken',
  summary: 'Ask what a token for MCP servers means',
  description:
    'A token of another tenant, or of another workspace than that of the key, is not active (RFC 7662).',
  fields: { token: text('An access token.') },
  required: ['token'],
  example: { token: 'eyJ…' },
  responses: { 200: answer('What it means.', { active: true, scope: 'mcp', client_id: 'mcp_…', sub: '…' }) },
  security: [{ key: [] }, { bearer: [] }],
});

const register: PathItem = {
  post: {
    operationId: 'registerMcpClient',
    tags: [oauth2Tag.name],
    summary: 'Register a client of MCP servers',
    description:
      'RFC 7591; twenty an hour from one address. A client that is not used for 90 days is forgotten.',
    parameters: requestReferences(['x-request-id']),
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: {
            type: 'object',
            required: ['redirect_uris'],
            properties: {
              redirect_uris: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 10 },
              client_name: { type: 'string', maxLength: 255 },
              token_endpoint_auth_method: {
                type: 'string',
                enum: ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'],
              },
            },
          },
          example: { client_name: 'A client', redirect_uris: ['http://127.0.0.1/callback'] },
        },
      },
    },
    responses: {
      201: answer('The client.', { client_id: 'mcp_…', redirect_uris: ['http://127.0.0.1/callback'] }),
      '4XX': refusal,
    },
    security: [],
  },
};

const resource: PathItem = {
  get: {
    operationId: 'getProtectedResource',
    tags: [oauth2Tag.name],
    summary: 'Get where tokens for MCP servers come from',
    description: 'RFC 9728. The path of an MCP server may follow, such as `/search/mcp`.',
    parameters: requestReferences(['x-request-id']),
    responses: {
      200: answer('As RFC 9728 has it.', {
        resource: 'https://ai.example.com/search/mcp',
        authorization_servers: ['https://ai.example.com'],
      }),
      '4XX': { description: 'The path takes GET and HEAD alone.' },
    },
    security: [],
  },
};

/** The paths at which MCP clients are let in. */
export const mcpOauthPaths = (): Record<string, PathItem> => ({
  '/.well-known/oauth-protected-resource': resource,
  [mcpPaths.token]: token,
  [mcpPaths.register]: register,
  [mcpPaths.revoke]: revoke,
  [mcpPaths.introspect]: introspect,
});
