import { z } from 'zod';
import { HEADER_NAME, HEADER_VALUE, isOwnHeader, isProtectedHeader } from './headers.ts';

const text = (max: number) => z.string().min(1).max(max);
const texts = (items: number, max: number) => z.array(text(max)).max(items);
const uri = z.url({ protocol: /^https?$/ }).max(2048);

const ownHeaders = z
  .record(
    z
      .string()
      .regex(HEADER_NAME)
      .refine((name) => !isOwnHeader(name), 'is a header that the gateway sets itself'),
    z.string().regex(HEADER_VALUE, 'must be one line of at most 8192 characters'),
  )
  .refine((headers) => Object.keys(headers).length <= 50, 'has at most 50 headers');

const forwardedName = z
  .string()
  .regex(HEADER_NAME)
  .refine((name) => !isProtectedHeader(name), 'is never taken from a caller to a server');

const forwardHeaders = z.union([
  z.array(forwardedName).max(50),
  z.strictObject({
    mode: z.enum(['allowlist', 'all-except']),
    headers: z
      .array(z.union([forwardedName, z.strictObject({ from: forwardedName, to: forwardedName })]))
      .max(50),
  }),
]);

/** Parameters of an authorization request that the gateway writes itself. */
const OWN_PARAMETERS =
  /^(response_type|client_id|client_secret|code_challenge.*|redirect_uri|state|scope|resource)$/;

const authorizationParameters = z
  .record(text(128), z.string().max(2048))
  .refine((given) => Object.keys(given).length <= 20, 'has at most 20 parameters')
  .refine(
    (given) => !Object.keys(given).some((name) => OWN_PARAMETERS.test(name)),
    'may not set response_type, client_id, client_secret, code_challenge, redirect_uri, state, scope or resource',
  );

const oauthMetadata = z
  .strictObject({
    client_id: text(2048).optional(),
    client_secret: text(8192).optional(),
    client_name: text(255).optional(),
    client_uri: uri.optional(),
    logo_uri: uri.optional(),
    scope: text(2048).optional(),
    software_id: text(255).optional(),
    software_version: text(255).optional(),
    grant_types: texts(10, 128).optional(),
    response_types: texts(10, 128).optional(),
    token_endpoint_auth_method: z.enum(['none', 'client_secret_basic', 'client_secret_post']).optional(),
    contacts: texts(20, 255).optional(),
    tos_uri: uri.optional(),
    policy_uri: uri.optional(),
    issuer: uri.optional(),
    authorization_endpoint: uri.optional(),
    token_endpoint: uri.optional(),
    scopes_supported: texts(100, 255).optional(),
    authorization_params: authorizationParameters.optional(),
    // Clients of such gateways send them; the gateway has its own, and keeps none of these.
    redirect_uris: z.unknown().optional(),
    jwks: z.unknown().optional(),
    jwks_uri: z.unknown().optional(),
    software_statement: z.unknown().optional(),
  })
  .transform(
    ({ redirect_uris: _uris, jwks: _keys, jwks_uri: _uri, software_statement: _said, ...kept }) => kept,
  );

const jwtValidation = z.strictObject({
  jwksUri: uri.optional(),
  jwks: z.looseObject({ keys: z.array(z.looseObject({})).min(1).max(50) }).optional(),
  introspectEndpoint: uri.optional(),
  introspectContentType: z
    .enum(['application/json', 'application/x-www-form-urlencoded'])
    .default('application/json'),
  introspectCacheMaxAge: z.number().min(0).max(86_400).optional(),
  introspectClientId: text(2048).optional(),
  introspectClientSecret: text(8192).optional(),
  headerKey: z.string().regex(HEADER_NAME).default('Authorization'),
  algorithms: texts(20, 32).optional(),
  clockTolerance: z.number().min(0).max(300).default(5),
  cacheMaxAge: z.number().min(0).max(604_800).default(86_400),
  maxTokenAge: text(32).optional(),
  requiredClaims: texts(50, 255).optional(),
  claimValues: z
    .record(
      text(255),
      z.strictObject({
        values: z.union([text(1024), texts(100, 1024).min(1)]),
        matchType: z.enum(['exact', 'contains', 'containsAll', 'regex']).default('exact'),
      }),
    )
    .optional(),
  headerPayloadMatch: texts(20, 128).optional(),
});

const milliseconds = (min: number, max: number) => z.int().min(min).max(max).optional();

/** The settings of a connection to an MCP server. Members that nobody knows are refused by name. */
export const configurationsSchema = z.strictObject({
  headers: ownHeaders.optional(),
  passthrough_headers: ownHeaders.optional(),
  forward_headers: forwardHeaders.optional(),
  oauth_metadata: oauthMetadata.optional(),
  user_identity_forwarding: z
    .strictObject({
      method: z.enum(['claims_header', 'bearer', 'jwt_header']),
      include_claims: texts(50, 255).optional(),
      header_name: z
        .string()
        .regex(HEADER_NAME)
        .refine((name) => !isOwnHeader(name), 'is a header that the gateway sets itself')
        .optional(),
      jwt_expiry_seconds: z.int().min(30).max(3600).default(300),
    })
    .optional(),
  jwt_validation: jwtValidation.optional(),
  external_auth_config: z
    .object({ issuer: uri.optional() })
    .catchall(z.union([z.string().max(8192), z.number(), z.boolean(), texts(100, 2048)]))
    .optional(),
  timeouts: z
    .strictObject({
      connect_ms: milliseconds(100, 300_000),
      idle_ms: milliseconds(1000, 600_000),
      total_ms: milliseconds(1000, 3_600_000),
    })
    .optional(),
  session_affinity: z.enum(['request', 'principal']).optional(),
  session_lost: z.enum(['repair', 'report']).optional(),
  pin: z.enum(['warn', 'block', 'off']).optional(),
  new_capabilities: z.enum(['enabled', 'disabled']).optional(),
  client_features: z
    .strictObject({
      elicitation_form: z.boolean().optional(),
      elicitation_url: z.boolean().optional(),
      sampling: z.boolean().optional(),
      roots: z.boolean().optional(),
      logging: z.boolean().optional(),
    })
    .optional(),
  extensions: texts(20, 255).optional(),
  input_guardrails: texts(50, 255).optional(),
  output_guardrails: texts(50, 255).optional(),
  validate_output: z.boolean().optional(),
  cost_per_call: z.number().min(0).max(1_000_000).optional(),
  idempotent_tools: texts(200, 255).optional(),
});

/** Settings of a connection, every secret in the clear. Members have the names that they have on the wire. */
export type McpConfigurations = z.infer<typeof configurationsSchema>;
