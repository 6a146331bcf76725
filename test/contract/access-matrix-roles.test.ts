import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OperationTypeNode } from 'graphql';
import { builtInRoles } from '../../src/auth/index.ts';
import { createGraph, readSources } from '../../src/graph/index.ts';
import { uuid } from '../../src/lib/ids.ts';
import { subgraphs } from '../../src/subgraphs/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { argumentsOf } from './access/arguments.ts';
import { type Callers, createCallers } from './access/callers.ts';
import { graphDoor } from './access/doors.ts';
import { hints } from './access/hints.ts';
import { lacksAll } from './access/permissions.ts';
import { type RootField, rootFields } from './access/root-fields.ts';

const { schema } = createGraph(readSources(subgraphs));

let app: TestApp;
let callers: Callers;
beforeAll(async () => {
  app = await startApp();
  callers = createCallers(app, app);
});
afterAll(() => app.stop());

const fields = [OperationTypeNode.QUERY, OperationTypeNode.MUTATION].flatMap((operation) =>
  rootFields(schema, operation),
);

/** Arguments that name nothing that exists: whoever is let in does not find it. */
function namingNothing(root: RootField) {
  const template = JSON.stringify(argumentsOf(schema, root, { hints, namesWorkspace: false }));
  return JSON.parse(template.replace(/<[\w.-]+>/g, uuid));
}

describe('a role', () => {
  it.each([...builtInRoles])(
    'opens what its permissions say and nothing else: %s',
    async (role, permissions) => {
      const isOfWorkspace = role.startsWith('workspace_');
      const caller = await callers.withRole(role, isOfWorkspace ? app.workspaceId : undefined);
      const wrong = [];
      for (const root of fields) {
        const { anyOf, coordinate } = root;
        const isOpen = anyOf === null || anyOf.some((scope) => permissions.includes(scope));
        const outcome = await graphDoor(root).call(app, namingNothing(root), caller);
        const isLetIn = outcome.status < 500 && outcome.status !== 401 && outcome.message !== lacksAll(anyOf);
        if (isOpen !== isLetIn) wrong.push({ coordinate, isOpen, outcome });
      }
      expect(wrong).toEqual([]);
    },
  );
});
