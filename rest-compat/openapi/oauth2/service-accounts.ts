import { ACCESS_TOKEN_SECONDS } from '../../../src/auth/index.ts';
import { paths } from '../../oauth2/endpoints.ts';
import type { OpenApiOperation, PathItem, Response, Schema } from '../document.ts';
import { answerReferences, requestReferences } from '../headers.ts';

export const oauth2Tag = {
  name: 'Authentication',
  description:
    'Access tokens for service accounts (OAuth 2.0 client credentials), and the keys that they are signed with.',
};

const text = (description: string): Schema => ({ type: 'string', description });
const texts = (description: string): Schema => ({ type: 'array', items: { type: 'string' }, description });

const answer = (description: string, properties: Record<string, Schema>, example: unknown): Response => ({
  description,
  headers: answerReferences(['x-request-id']),
  content: {
    'application/json': {
      schema: { type: 'object', required: Object.keys(properties), properties },
      example,
    },
  },
});

const refusal = (description: string, error: string): Response =>
  answer(
    description,
    { error: text('Code of RFC 6749, section 5.2.'), error_description: text('A sentence for people.') },
    { error, error_description: description },
  );

const form: Schema = {
  type: 'object',
  required: ['grant_type', 'scope'],
  properties: {
    grant_type: { type: 'string', enum: ['client_credentials'] },
    scope: {
      type: 'string',
      pattern: '^tsg_id:[0-9]{10}$',
      description:
        "The tenant that the token is for: the account's own, one below it, or one whose policy names it.",
    },
  },
};

const createToken: OpenApiOperation = {
  operationId: 'createAccessToken',
  tags: [oauth2Tag.name],
  summary: 'Create access token',
  description:
    'Client id and client secret of a service account go in as user name and password. The token is a JWT for one tenant; ask for the next one about a minute before it lapses.',
  parameters: requestReferences(['x-request-id']),
  requestBody: {
    required: true,
    content: {
      'application/x-www-form-urlencoded': {
        schema: form,
        example: { grant_type: 'client_credentials', scope: 'tsg_id:1234567890' },
      },
    },
  },
  responses: {
    200: answer(
      'The token.',
      {
        access_token: text('A JWT, to be sent as `Authorization: Bearer`.'),
        token_type: { type: 'string', enum: ['Bearer'] },
        expires_in: { type: 'integer', description: 'Seconds.' },
        scope: text('As asked for.'),
      },
      {
        access_token: 'eyJ…',
        token_type: 'Bearer',
        expires_in: ACCESS_TOKEN_SECONDS,
        scope: 'tsg_id:1234567890',
      },
    ),
    400: refusal(
      'The request is not understood, the tenant is out of reach, or the account has no role there.',
      'invalid_scope',
    ),
    401: refusal('The client is not known, or its secret is wrong.', 'invalid_client'),
    413: refusal('The request body is too large.', 'invalid_request'),
    415: refusal('The body is no form.', 'invalid_request'),
    429: refusal('Too many requests came with wrong credentials.', 'temporarily_unavailable'),
    500: refusal('Something went wrong inside the gateway.', 'server_error'),
    503: refusal('The database does not answer.', 'temporarily_unavailable'),
  },
  security: [{ basic: [] }],
};

const read = (operationId: string, summary: string, success: Response): PathItem => ({
  get: {
    operationId,
    tags: [oauth2Tag.name],
    summary,
    description: '',
    parameters: requestReferences(['x-request-id']),
    responses: { 200: success, '4XX': { description: 'The path takes GET and HEAD alone.' } },
    security: [],
  },
});

const keySet = answer(
  'The keys, as RFC 7517 has them. A key is there five minutes before it signs, and until its last token is over.',
  { keys: { type: 'array', items: { type: 'object', additionalProperties: true } } },
  {
    keys: [{ kty: 'EC', crv: 'P-256', x: '…', y: '…', kid: '…', use: 'sig', alg: 'ES256' }],
  },
);

const metadata = answer(
  'As RFC 8414 has it.',
  {
    issuer: text('Address of this installation.'),
    authorization_endpoint: text('Where people let MCP clients act for them.'),
    token_endpoint: text('Where tokens are asked for, for service accounts too.'),
    registration_endpoint: text('Where MCP clients register.'),
    jwks_uri: text('Where the keys are.'),
    grant_types_supported: texts('`authorization_code`, `refresh_token`, `client_credentials`'),
    response_types_supported: texts('`code`'),
    code_challenge_methods_supported: texts('`S256`'),
    token_endpoint_auth_methods_supported: texts(
      '`none`, `client_secret_basic`, `client_secret_post`, `private_key_jwt`',
    ),
  },
  {
    issuer: 'https://ai.example.com',
    authorization_endpoint: 'https://ai.example.com/oauth/authorize',
    token_endpoint: 'https://ai.example.com/oauth/token',
    registration_endpoint: 'https://ai.example.com/oauth/register',
    jwks_uri: `https://ai.example.com${paths.keys}`,
    grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
    response_types_supported: ['code'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: [
      'none',
      'client_secret_basic',
      'client_secret_post',
      'private_key_jwt',
    ],
  },
);

/** The paths of the authentication service. */
export const oauth2Paths = (): Record<string, PathItem> => ({
  [paths.token]: { post: createToken },
  [paths.keys]: read('getKeySet', 'Get the signing keys', keySet),
  [paths.wellKnownKeys]: read('getWellKnownKeySet', 'Get the signing keys', keySet),
  [paths.metadata]: read('getAuthorizationServer', 'Get the authentication service', metadata),
});
