import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import {
  createRest,
  describeRest,
  type HandwrittenEndpoint,
  operationFiles,
} from '../../../rest-compat/index.ts';
import type {
  OpenApi,
  OpenApiContent,
  OpenApiOperation,
  OpenApiParameter,
} from '../../../rest-compat/openapi/document.ts';
import { changesBetween } from '../../../scripts/codegen/changes.ts';
import { digestOf } from '../../../scripts/codegen/digest.ts';
import { createGraph, readSources } from '../../../src/graph/index.ts';
import { subgraphs } from '../../../src/subgraphs/index.ts';
import { smallContext, somebody } from '../../graph/small-graph.ts';
import { mistakesOf } from './schema-mistakes.ts';

const graph = createGraph(readSources(subgraphs));
const context = smallContext();

const surface = (prefix: string) => ({ prefix, authenticate: async () => somebody() });
const everySurface = {
  V1: surface('/v1'),
  V2: surface('/v2'),
  ADMIN_V2: surface('/admin/v2'),
  IAM_V1: surface('/iam/v1'),
  V0_1: surface('/v0.1'),
  ROOT: surface(''),
};
const rest = createRest({
  graph,
  operations: operationFiles(),
  surfaces: everySurface,
  createContext: () => context,
  log: context.log,
});
const described = (surfaces: Partial<typeof everySurface>) => describeRest(graph.schema, rest, surfaces);
const whole = described(everySurface);

const operationsOf = ({ paths }: OpenApi) =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method, path, operation })),
  );
/** Neither the provider's own API nor the authentication service, which have forms and errors of their own. */
const isAdministration = ({ tags }: OpenApiOperation) =>
  !tags.some((tag) => /^(Inference|Authentication)$/.test(tag));
/** A path that checks what its caller brings instead of a credential. */
const isLink = ({ operationId }: OpenApiOperation) =>
  rest.handwritten.some(({ name, isPublic }) => isPublic && operationId.split('_')[0] === name);
const administrationOf = (document: OpenApi) =>
  operationsOf(document).filter(({ operation }) => isAdministration(operation) && !isLink(operation));
const contentsOf = (operation: OpenApiOperation): OpenApiContent[] => [
  ...(operation.requestBody ? [operation.requestBody.content] : []),
  ...Object.values(operation.responses).flatMap((answer) =>
    'content' in answer && answer.content ? [answer.content] : [],
  ),
];

describe('the OpenAPI description', () => {
  it.each([
    ['what is served', described({ V1: everySurface.V1 })],
    ['every surface', whole],
  ])('of %s is a valid OpenAPI 3.0.0 document', async (_what, document) => {
    const validator = new Validator();
    expect(await validator.validate(structuredClone(document))).toEqual({ valid: true });
    expect(validator.version).toBe('3.0');
    expect(document.info.version).toBe('3.0.0');
  });

  it('says what linters ask for: a type beside nullable, an answer for mistakes, words for each tag', () => {
    const loose: string[] = [];
    JSON.stringify(whole, (_key, value) => {
      if (value?.nullable === true && value.type === undefined)
        loose.push(JSON.stringify(value).slice(0, 200));
      return value;
    });
    expect(loose).toEqual([]);
    const silent = operationsOf(whole).filter(
      ({ operation }) => !Object.keys(operation.responses).some((status) => status.startsWith('4')),
    );
    expect(silent.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
    expect(whole.tags.filter(({ description }) => !description)).toEqual([]);
  });

  it.each([
    ['what is served', described({ V1: everySurface.V1 })],
    ['one surface of tokens', described({ IAM_V1: everySurface.IAM_V1 })],
    ['every surface', whole],
  ])('of %s has each component that is referred to, and no other', (_what, document) => {
    const referred = new Set(
      [...JSON.stringify(document).matchAll(/"\$ref":"#\/components\/([^"]+)"/g)].map(([, place]) => place),
    );
    const { securitySchemes: _schemes, ...components } = document.components;
    const written = Object.entries(components).flatMap(([kind, named]) =>
      Object.keys(named).map((name) => `${kind}/${name}`),
    );
    expect(written.sort()).toEqual([...referred].sort());
  });

  it('knows the shape of a config', () => {
    const { schemas } = whole.components;
    const config = { $ref: '#/components/schemas/GatewayConfig' };
    expect(schemas.CreateConfigInput?.properties?.config).toMatchObject({ allOf: [config] });
    expect(schemas.GatewayConfig?.properties).toMatchObject({
      targets: { type: 'array', items: config },
      weight: { type: 'number', minimum: 0 },
    });
  });

  it('is the one that was published', () => {
    const published = readFileSync(new URL('../../../rest-compat/published.txt', import.meta.url), 'utf8');
    // After a wanted change: npm run codegen
    expect(changesBetween(published, digestOf(whole))).toEqual([]);
  });

  it('has every operation on every base, each under a name of its own', () => {
    const byHand = rest.handwritten.filter(({ isPublic }) => !isPublic);
    const documents = rest.operations.map((operation) => operation.rest);
    const mounted = [...documents, ...byHand].flatMap(({ method, path, on }) =>
      on.map((base) => `${method.toLowerCase()} ${everySurface[base].prefix}${path}`),
    );
    const operations = administrationOf(whole);
    expect(operations.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(mounted.sort());
    const names = operations.map(({ operation }) => operation.operationId);
    expect(new Set(names).size).toBe(names.length);
  });

  it('asks each surface for its own credentials, and knows no others', () => {
    const schemes = (prefix: string) =>
      operationsOf(whole)
        .filter(({ operation }) => operation.security.length > 0)
        .filter(({ path }) => path.startsWith(prefix))
        .map(({ operation }) => operation.security.flatMap((scheme) => Object.keys(scheme)).join());
    expect(new Set(schemes('/v1/'))).toEqual(
      new Set(['gatewayKey,gatewayKeyAsBearer,gatewayKeyAsApiKey,accessToken']),
    );
    expect(new Set(schemes('/v2/'))).toEqual(new Set(['accessToken']));
    expect(new Set(schemes('/admin/v2/'))).toEqual(new Set(['accessToken']));
    expect(schemes('/oauth2/access_token')).toEqual(['basic']);
    const { components } = described({ V2: everySurface.V2 });
    expect(Object.keys(components.securitySchemes)).toEqual(['accessToken', 'basic']);
  });

  it('says the scope of every operation but those that take any credential', () => {
    const anyCredential = /^list(Scopes|ScopePresets)(_v2)?$/;
    const without = operationsOf(whole)
      .filter(({ operation }) => !anyCredential.test(operation.operationId))
      .filter(({ operation }) => !operation.tags.includes('Authentication'))
      .filter(({ operation }) => operation.security.length > 0 && !operation['x-required-scope']?.length);
    expect(without.map(({ operation }) => operation.operationId)).toEqual([]);
  });

  it('asks for no credential where the graph asks for none', () => {
    const open = administrationOf(whole).filter(({ operation }) => operation.security.length === 0);
    expect(new Set(open.map(({ operation }) => operation.operationId.split('_')[0]))).toEqual(
      new Set(['getModelPricing', 'getModelConfiguration', 'listProviderModelPricing']),
    );
    expect(open.filter(({ operation }) => operation.responses[401])).toEqual([]);
  });

  it('tells of an unknown guardrail as its path does: with 403, and no 404', () => {
    const { get, put, delete: remove } = whole.paths['/v1/guardrails/{guardrailId}'] ?? {};
    for (const operation of [get, put, remove]) {
      expect(operation?.responses[403]).toEqual({ $ref: '#/components/responses/ForbiddenGuardrail' });
      expect(operation?.responses[404]).toBeUndefined();
    }
    const { ForbiddenGuardrail: refusal, Forbidden: forbidden } = whole.components.responses;
    expect(refusal?.description).toContain('The guardrail does not exist');
    // The path refuses for the lack of a scope as well.
    expect(refusal?.content?.['application/json']?.examples).toMatchObject(
      forbidden?.content?.['application/json']?.examples ?? {},
    );
    const organisations = whole.paths['/v1/org-guardrails/{guardrailId}']?.get;
    expect(organisations?.responses[404]).toEqual({ $ref: '#/components/responses/NotFound' });
  });

  it('gives examples that its own schemas allow', () => {
    const { schemas, responses } = whole.components;
    const contents = [
      ...operationsOf(whole).flatMap(({ operation }) => contentsOf(operation)),
      ...Object.values(responses).flatMap(({ content }) => (content ? [content] : [])),
    ].flatMap((content) => Object.values(content));
    const mistakes = contents.flatMap(({ schema, example, examples = {} }) =>
      [...(example === undefined ? [] : [{ value: example }]), ...Object.values(examples)].flatMap(
        ({ value }) => mistakesOf(value, schema, schemas),
      ),
    );
    expect(mistakes).toEqual([]);
    const without = operationsOf(whole)
      .filter(({ operation }) => !operation.tags.includes('Inference'))
      .flatMap(({ operation }) => contentsOf(operation).flatMap((content) => Object.values(content)))
      .filter(({ example }) => example === undefined);
    expect(without).toEqual([]);
  });

  it('has the bounds, defaults and enums of the SDL on parameters and bodies', () => {
    const list = whole.paths['/v1/configs']?.get as OpenApiOperation;
    const parameters = Object.fromEntries(
      (list.parameters as OpenApiParameter[]).map((parameter) => [parameter.name, parameter.schema]),
    );
    expect(parameters.page_size).toEqual({
      type: 'integer',
      format: 'int32',
      minimum: 1,
      maximum: 1000,
      default: 100,
    });
    const { CreateIntegrationInput: input } = whole.components.schemas;
    expect(input).toMatchObject({
      required: ['name', 'ai_provider_id'],
      additionalProperties: false,
      properties: {
        slug: { pattern: '^[a-zA-Z0-9_-]+$', minLength: 1, maxLength: 255, nullable: true },
        key: { writeOnly: true },
        create_default_provider: { type: 'boolean', default: true },
      },
    });
    const byType = whole.paths['/v1/integrations']?.get?.parameters.find(
      (parameter) => 'name' in parameter && parameter.name === 'type',
    );
    expect(byType).toMatchObject({
      in: 'query',
      schema: { enum: ['workspace', 'organisation', 'all'], default: 'all' },
    });
  });

  it('has the paths that code answers, in their own words within what holds for all', async () => {
    const upload: HandwrittenEndpoint = {
      name: 'uploadFile',
      method: 'POST',
      path: '/files/{fileId}/parts',
      on: ['V1', 'V2'],
      scope: 'logs.write',
      query: ['purpose'],
      describe: {
        description: 'Takes a part of a file.',
        requestBody: { required: true, content: { 'multipart/form-data': { schema: { type: 'object' } } } },
        parameters: [{ name: 'purpose', in: 'query', description: 'Why.', schema: { type: 'string' } }],
      },
      handle: async () => undefined,
    };
    const document = describeRest(
      graph.schema,
      { operations: rest.operations, handwritten: [upload] },
      everySurface,
    );
    expect(await new Validator().validate(structuredClone(document))).toEqual({ valid: true });
    expect(document.tags).toContainEqual(expect.objectContaining({ name: 'File' }));
    const described = document.paths['/v1/files/{fileId}/parts']?.post;
    expect(described).toMatchObject({
      operationId: 'uploadFile',
      summary: 'Upload file',
      description: 'Takes a part of a file.\n\nNeeds the scope `logs.write`.',
      parameters: [
        { name: 'fileId', in: 'path', required: true },
        { name: 'purpose', in: 'query', description: 'Why.' },
        { $ref: '#/components/parameters/x-request-id' },
        { $ref: '#/components/parameters/x-gateway-workspace-id' },
      ],
      requestBody: upload.describe.requestBody,
      'x-required-scope': ['logs.write'],
    });
    expect(Object.keys(described?.responses ?? {})).toEqual(
      expect.arrayContaining(['200', '400', '401', '403', '404', '413', '415', '500', '503']),
    );
    expect(document.paths['/v2/files/{fileId}/parts']?.post?.operationId).toBe('uploadFile_v2');
  });
});
