import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { expect, test } from '@jest/globals';
import type { Principal } from '../../../src/auth/index.ts';
import { createSessions } from '../../../src/graph/doors/subscriptions/sessions.ts';

const principal: Principal = {
  kind: 'jwt',
  id: 'user-1',
  name: 'user-1',
  organisationId: 'ours',
  workspaceId: 'w',
  userId: 'user-1',
  scopes: new Set(),
  metadata: {},
};

test("nobody's connections count for a namesake in another organisation", async () => {
  const sessions = createSessions({
    authenticate: async ({ headers }) => ({ ...principal, organisationId: String(headers.organisation) }),
    createContext: () => {
      throw new Error('Nobody asks anything.');
    },
  });
  const request = new IncomingMessage(new Socket());
  const open = (organisation: string) =>
    sessions.open({ request, headers: { organisation }, requestId: 'r', end: () => undefined });
  for (let count = 0; count < 100; count++) await open('theirs');
  await expect(open('theirs')).rejects.toMatchObject({ code: 'TOO_MANY_SUBSCRIPTIONS' });
  await expect(open('ours')).resolves.toBeDefined();
  sessions.stop();
});
