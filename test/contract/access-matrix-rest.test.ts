import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { readOperations } from '../../rest-compat/compile/operation.ts';
import { operationFiles } from '../../rest-compat/index.ts';
import type { OpenApi } from '../../rest-compat/openapi/document.ts';
import { inferenceOperations } from '../../src/dataplane/call/operations.ts';
import { createGraph, readSources } from '../../src/graph/index.ts';
import { subgraphs } from '../../src/subgraphs/index.ts';
import { type CountedApp, startCountedApp } from '../support/counted-app.ts';
import { restDoor } from './access/doors.ts';
import { describeAccessOf } from './access/matrix.ts';
import { rootFields } from './access/root-fields.ts';
import { createWorld, type World } from './access/world.ts';

const { schema } = createGraph(readSources(subgraphs));

let app: CountedApp;
let world: World;
beforeAll(async () => {
  // Runs with a tool that is not there are refused, so that none goes on while the matrix is walked.
  app = await startCountedApp({ CODE_INTERPRETER: 'off' });
  world = await createWorld(app, schema);
});
afterAll(() => app.stop());

const surfaces = {
  V1: { prefix: '/v1', takesKeys: true },
  V2: { prefix: '/v2', takesKeys: false },
  ADMIN_V2: { prefix: '/admin/v2', takesKeys: false },
  IAM_V1: { prefix: '/iam/v1', takesKeys: false },
  V0_1: { prefix: '/v0.1', takesKeys: true },
  ROOT: { prefix: '', takesKeys: true },
};

const doors = readOperations(schema, operationFiles()).flatMap((operation) => {
  const root = rootFields(schema, operation.definition.operation).find(
    ({ field }) => field.name === operation.root.name.value,
  );
  if (!root) throw new Error(`${operation.label} has no root field.`);
  return operation.rest.on.map((base) => restDoor(schema, root, operation, surfaces[base]));
});

describeAccessOf(doors, () => world);

/** What no document answers, and the test that knocks there. */
const elsewhere: Record<string, string> = {
  'GET /.well-known/jwks.json': 'test/rest-compat/oauth2.test.ts, public',
  'GET /.well-known/oauth-authorization-server': 'test/rest-compat/oauth2.test.ts, public',
  'GET /.well-known/oauth-protected-resource': 'test/mcp/oauth/authorization.test.ts, public',
  'POST /oauth/token': 'test/mcp/oauth/authorization.test.ts',
  'POST /oauth/register': 'test/mcp/oauth/authorization.test.ts, public',
  'POST /oauth/revoke': 'test/mcp/oauth/authorization.test.ts',
  'POST /oauth/introspect': 'test/mcp/oauth/authorization.test.ts',
  'GET /oauth2/jwks': 'test/rest-compat/oauth2.test.ts, public',
  ...Object.fromEntries(
    inferenceOperations.map(({ method, path }) => [
      `${method} /v1${path}`,
      'access-matrix-inference.test.ts',
    ]),
  ),
  'GET /v1/logs/exports/{exportId}/content': 'test/subgraphs/insights/log-export.test.ts, by a signed link',
  'GET /v1/assistants/export': 'test/runs/transfer.test.ts',
  'POST /v1/assistants/import': 'test/runs/transfer.test.ts',
  'GET /v1/threads/{thread_id}/runs/{run_id}/events': 'test/runs/two-processes.long.test.ts',
  'GET /v1/responses/{response_id}': 'test/rest-compat/openapi/truth-of-responses.test.ts',
  'DELETE /v1/responses/{response_id}': 'test/rest-compat/openapi/truth-of-responses.test.ts',
  'POST /v1/responses/{response_id}/cancel': 'test/rest-compat/openapi/truth-of-responses.test.ts',
  'GET /v1/responses/{response_id}/input_items': 'test/rest-compat/openapi/truth-of-responses.test.ts',
  'POST /v1/conversations': 'test/rest-compat/openapi/truth-of-responses.test.ts',
  'GET /v1/conversations/{conversation_id}': 'test/rest-compat/openapi/truth-of-responses.test.ts',
  'POST /v1/conversations/{conversation_id}': 'test/rest-compat/openapi/truth-of-responses.test.ts',
  'DELETE /v1/conversations/{conversation_id}': 'test/rest-compat/openapi/truth-of-responses.test.ts',
  'POST /v1/conversations/{conversation_id}/items': 'test/rest-compat/openapi/truth-of-responses.test.ts',
  'GET /v1/conversations/{conversation_id}/items': 'test/rest-compat/openapi/truth-of-responses.test.ts',
  'GET /v1/conversations/{conversation_id}/items/{item_id}':
    'test/rest-compat/openapi/truth-of-responses.test.ts',
  'DELETE /v1/conversations/{conversation_id}/items/{item_id}':
    'test/rest-compat/openapi/truth-of-responses.test.ts',
  'POST /v1/uploads': 'test/files/uploads.test.ts',
  'POST /v1/uploads/{upload_id}/cancel': 'test/files/uploads.test.ts',
  'POST /v1/uploads/{upload_id}/complete': 'test/files/uploads.test.ts',
  'POST /v1/uploads/{upload_id}/parts': 'test/files/uploads.test.ts',
  'POST /oauth2/access_token': 'test/rest-compat/oauth2.test.ts',
};

it('walks everything that is published, or says which test does', async () => {
  const { body } = await app.rest('GET', '/openapi.json', { key: null });
  const published = Object.entries((body as OpenApi).paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
  );
  // What the gateway keeps where no provider is named is walked twice, through both of its doors.
  const walked = new Set([...doors.map(({ label }) => label), ...Object.keys(elsewhere)]);
  expect([...walked].sort()).toEqual(published.sort());
});
