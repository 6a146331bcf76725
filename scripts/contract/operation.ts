import type {
  OpenApi,
  OpenApiOperation,
  OpenApiParameter,
  Schema,
} from '../../rest-compat/openapi/document.ts';
import { deviations } from './compare.ts';
import { type Notation, type Shapes, schemaOf } from './notation.ts';

/** One row of the contract's operations.json. */
export type ContractOperation = {
  operation_id: string;
  method: string;
  path: string;
  surfaces: { base: string }[];
  scope: string | null;
  query: Notation;
  request: { body?: Notation; content_type?: string };
  responses: Record<string, Notation>;
};

/** An operation of ours with all the bases it is written for. */
export type OwnOperation = { operation: OpenApiOperation; bases: string[]; document: OpenApi };

/** Where an operation deviates from its row of the contract, one line each. */
export function operationDeviations(
  contract: ContractOperation,
  { operation, bases, document }: OwnOperation,
  shapes: Shapes,
): string[] {
  const { schemas } = document.components;
  const surfaces = contract.surfaces.map(({ base }) => base);
  const query = deviations(schemaOf(contract.query, shapes), queryOf(operation), schemas, 'sent', 'query');
  const statuses = Object.entries(contract.responses).flatMap(([status, notation]) => {
    if (isLeftOpen(notation)) {
      const answered = operation.responses[status === '*' ? 'default' : status];
      return answered ? [] : [`status ${status}: missing`];
    }
    const answer = contentOf(operation, status);
    if (!answer) return [`status ${status}: missing`];
    return deviations(schemaOf(notation, shapes), answer, schemas, 'answered', status);
  });
  return [
    ...sets('base', surfaces, bases),
    ...sets('scope', scopesOf(contract.scope), operation['x-required-scope'] ?? []),
    ...query,
    ...bodyDeviations(contract, operation, document, shapes),
    ...statuses,
  ].map((line) => `${contract.operation_id} ${line}`);
}

/** What a provider decides, which the contract only names. */
const leftOpen: Notation[] = ['provider_shape', 'provider response unchanged', 'websocket'];
const isLeftOpen = (notation: Notation): boolean => leftOpen.includes(notation);

function bodyDeviations(
  { request }: ContractOperation,
  { requestBody }: OpenApiOperation,
  { components }: OpenApi,
  shapes: Shapes,
): string[] {
  if (!request.body && request.content_type) {
    if (request.content_type === 'any') return [];
    return requestBody?.content[request.content_type] ? [] : [`body ${request.content_type}: missing`];
  }
  const ours = requestBody?.content['application/json']?.schema;
  if (!request.body || !ours)
    return request.body || ours ? [`body: ${ours ? 'not in the contract' : 'missing'}`] : [];
  return deviations(schemaOf(request.body, shapes), ours, components.schemas, 'sent', 'body');
}

/** The query parameters as one object. */
function queryOf({ parameters }: OpenApiOperation): Schema {
  const query = parameters.filter(
    (parameter): parameter is OpenApiParameter => 'name' in parameter && parameter.in === 'query',
  );
  const schema = ({ schema: own, content }: OpenApiParameter): Schema =>
    own ?? content?.['application/json']?.schema ?? {};
  return {
    type: 'object',
    required: query.filter(({ required }) => required).map(({ name }) => name),
    properties: Object.fromEntries(query.map((parameter) => [parameter.name, schema(parameter)])),
  };
}

function contentOf({ responses }: OpenApiOperation, status: string): Schema | undefined {
  const answer = responses[status];
  return answer && 'content' in answer ? answer.content?.['application/json']?.schema : undefined;
}

/** `a.list or b.list (by type)` -> both. */
const scopesOf = (scope: string | null): string[] => scope?.match(/[a-z_]+\.[a-z_]+/g) ?? [];

const sets = (what: string, wanted: string[], given: string[]): string[] => [
  ...wanted.filter((value) => !given.includes(value)).map((value) => `${what} ${value}: missing`),
  ...given.filter((value) => !wanted.includes(value)).map((value) => `${what} ${value}: not in the contract`),
];
