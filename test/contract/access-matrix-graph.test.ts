import { afterAll, beforeAll } from '@jest/globals';
import { OperationTypeNode } from 'graphql';
import { createGraph, readSources } from '../../src/graph/index.ts';
import { subgraphs } from '../../src/subgraphs/index.ts';
import { type CountedApp, startCountedApp } from '../support/counted-app.ts';
import { graphDoor } from './access/doors.ts';
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

const doors = [OperationTypeNode.QUERY, OperationTypeNode.MUTATION]
  .flatMap((operation) => rootFields(schema, operation))
  .map(graphDoor);

describeAccessOf(doors, () => world);
