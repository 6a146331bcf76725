import {
  type DirectiveNode,
  extendSchema,
  type GraphQLSchema,
  getDirectiveValues,
  type OperationDefinitionNode,
  parse,
} from 'graphql';

export const bases = ['V1', 'V2', 'ADMIN_V2', 'IAM_V1', 'V0_1', 'ROOT'] as const;

/**
 * Where a path may be mounted: `/v1`, `/v2`, `/admin/v2`, `/iam/v1`, `/v0.1` (the MCP registry), and below no prefix at all.
 */
export type RestBase = (typeof bases)[number];
export type RestMethod = 'GET' | 'POST' | 'PUT' | 'DELETE';
export type RestErrors = 'ADMINISTRATION' | 'INFERENCE' | 'TEXT';
/** The error of a path whose item is unknown, by its name in the catalogue. */
export type RestUnknown = 'NOT_FOUND' | 'GUARDRAIL_NOT_FOUND';

/** What `@rest` says about an operation. */
export type RestDirective = {
  method: RestMethod;
  /** `/configs/{slug}`: parameters become variables of the same name. */
  path: string;
  on: RestBase[];
  status: number;
  /** A JSON template: `"$"` stands for the root field's value, `"$.data"` for its member; absent: the value is the body. */
  envelope?: unknown;
  /** Names by which a request may say fixed segments of its path again, in their places: `/api-keys/{type}/{sub-type}`. */
  repeats?: string;
  /** True where a 401 has `success` and `data.message` beside `error`, as older clients of the path expect. */
  legacyRefusals: boolean;
  /** The form of its errors: that of the administration, the one that OpenAI's SDKs read, or a text alone. */
  errors: RestErrors;
  /** The error that its description promises where the path names an item that is unknown or out of reach. */
  unknown: RestUnknown;
  /** Bytes of the largest body that it takes. */
  maxBytes: number;
  /** Headers of each answer that is no error; `_` in a name stands for `-`. */
  headers: Record<string, string>;
  /** True where a request that names a provider is not for this path: it goes on to that provider. */
  yields: boolean;
};

const sdl = parse(`
  directive @rest(
    method: RestMethod!
    path: String!
    on: [RestBase!]!
    status: Int! = 200
    envelope: RestTemplate
    repeats: String
    legacyRefusals: Boolean! = false
    errors: RestErrors! = ADMINISTRATION
    unknown: RestUnknown! = NOT_FOUND
    maxBytes: Int! = ${1024 * 1024}
    headers: RestTemplate! = {}
    yields: Boolean! = false
  ) on QUERY | MUTATION
  enum RestMethod { GET POST PUT DELETE }
  enum RestErrors { ADMINISTRATION INFERENCE TEXT }
  enum RestUnknown { NOT_FOUND GUARDRAIL_NOT_FOUND }
  enum RestBase { ${bases.join(' ')} }
  scalar RestTemplate
`);

/** The graph's schema as REST documents see it. Only for validation; documents run on the graph's own. */
export const withRestDirective = (schema: GraphQLSchema): GraphQLSchema => extendSchema(schema, sdl);

export function restOf(schema: GraphQLSchema, operation: OperationDefinitionNode): RestDirective | undefined {
  const directive = schema.getDirective('rest');
  return directive ? (getDirectiveValues(directive, operation) as RestDirective | undefined) : undefined;
}

export const isRest = (directive: DirectiveNode): boolean => directive.name.value === 'rest';
