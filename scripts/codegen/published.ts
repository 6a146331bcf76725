import { buildASTSchema, type DocumentNode } from 'graphql';
import { readOperations } from '../../rest-compat/compile/operation.ts';
import { operationFiles } from '../../rest-compat/index.ts';
import { describeRest, type OpenApi } from '../../rest-compat/openapi/index.ts';
import { handwrittenEndpoints } from '../../rest-compat/serve/handwritten/index.ts';

/** What /openapi.json answers, from the SDL and the REST documents alone. */
export function published(document: DocumentNode): OpenApi {
  const schema = buildASTSchema(document);
  return describeRest(
    schema,
    { operations: readOperations(schema, operationFiles()), handwritten: handwrittenEndpoints },
    {
      V1: { prefix: '/v1' },
      V2: { prefix: '/v2' },
      ADMIN_V2: { prefix: '/admin/v2' },
      IAM_V1: { prefix: '/iam/v1' },
      V0_1: { prefix: '/v0.1' },
      ROOT: { prefix: '' },
    },
  );
}
