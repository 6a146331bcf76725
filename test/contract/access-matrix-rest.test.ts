import { afterAll, beforeAll } from '@jest/globals';
import { operationFiles } from '../../rest-compat/index.ts';
import { readOperations } from '../../rest-compat/operation.ts';
import { createGraph, readSources } from '../../src/graph/index.ts';
import { subgraphs } from '../../src/subgraphs/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { restDoor } from './access/doors.ts';
import { describeAccessOf } from './access/matrix.ts';
import { rootFields } from './access/root-fields.ts';
import { createWorld, type World } from './access/world.ts';

const { schema } = createGraph(readSources(subgraphs));

let app: TestApp;
let world: World;
beforeAll(async () => {
  app = await startApp();
  world = await createWorld(app, schema);
});
afterAll(() => app.stop());

const surfaces = {
  V1: { prefix: '/v1', takesKeys: true },
  V2: { prefix: '/v2', takesKeys: false },
  ADMIN_V2: { prefix: '/admin/v2', takesKeys: false },
  IAM_V1: { prefix: '/iam/v1', takesKeys: false },
};

const doors = readOperations(schema, operationFiles()).flatMap((operation) => {
  const root = rootFields(schema, operation.definition.operation).find(
    ({ field }) => field.name === operation.root.name.value,
  );
  if (!root) throw new Error(`${operation.label} has no root field.`);
  return operation.rest.on.map((base) => restDoor(schema, root, operation, surfaces[base]));
});

describeAccessOf(doors, () => world);
