import {
  type DirectiveNode,
  extendSchema,
  type GraphQLSchema,
  getDirectiveValues,
  type OperationDefinitionNode,
  parse,
} from 'graphql';

export const bases = ['V1', 'V2', 'ADMIN_V2', 'IAM_V1', 'ROOT'] as const;

/** Where a path may be mounted: `/v1`, `/v2`, `/admin/v2`, `/iam/v1`, and below no prefix at all. */
export type RestBase = (typeof bases)[number];
export type RestMethod = 'GET' | 'POST' | 'PUT' | 'DELETE';

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
  ) on QUERY | MUTATION
  enum RestMethod { GET POST PUT DELETE }
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
