import { buildASTSchema, type DocumentNode } from 'graphql';
import { readOperations } from '../../rest-compat/compile/operation.ts';
import { bases, type RestBase } from '../../rest-compat/compile/rest-directive.ts';
import { operationFiles } from '../../rest-compat/index.ts';
import type { Method } from '../../rest-compat/openapi/document.ts';
import { describeRest } from '../../rest-compat/openapi/index.ts';
import { inferenceOperations } from '../../src/dataplane/call/operations.ts';
import type { OwnOperation } from './operation.ts';

/** `ADMIN_V2` -> `admin/v2`, `V0_1` -> `v0.1`, as the contract writes it. */
const contractName = (base: RestBase): string =>
  base === 'V0_1' ? 'v0.1' : base.toLowerCase().replace('_', '/');

type NamedOperation = OwnOperation & { name: string; method: string; path: string };

/** What the data plane answers at paths that it knows. */
export function ownInference(sdl: DocumentNode): NamedOperation[] {
  const v1 = { V1: { prefix: '/v1' } };
  const document = describeRest(buildASTSchema(sdl), { operations: [], handwritten: [] }, v1);
  return inferenceOperations.map(({ operationId, method, path }) => {
    const operation = document.paths[`/v1${path}`]?.[method.toLowerCase() as Method];
    if (!operation) throw new Error(`${operationId} is not described.`);
    return { name: operationId, method, path, bases: ['v1'], operation, document };
  });
}

/** Every operation that is written down, whether its bases are served or not. */
export function ownOperations(sdl: DocumentNode): NamedOperation[] {
  const schema = buildASTSchema(sdl);
  return readOperations(schema, operationFiles()).map((own) => {
    const { method, path, on } = own.rest;
    const served = Object.fromEntries(bases.map((base) => [base, { prefix: `/${contractName(base)}` }]));
    const document = describeRest(schema, { operations: [own], handwritten: [] }, served);
    const operation = Object.values(document.paths)
      .flatMap((item) => Object.values(item))
      .find(({ operationId }) => operationId.replace(/_\w+$/, '') === own.definition.name?.value);
    if (!operation) throw new Error(`${own.label} is on no base.`);
    const name = own.definition.name?.value ?? '';
    return { name, method, path, bases: on.map(contractName), operation, document };
  });
}
