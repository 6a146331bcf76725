import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { afterEach, expect, jest, test } from '@jest/globals';
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

afterEach(() => {
  jest.useRealTimers();
});

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

test('a credential that is taken away ends its connections at once where that is told, and within a second where it is not', async () => {
  jest.useFakeTimers();
  const taken = new Set<string>();
  let looks = 0;
  const sessions = createSessions({
    async authenticate({ headers }) {
      looks++;
      return taken.has(String(headers.key)) ? null : principal;
    },
    createContext: () => {
      throw new Error('Nobody asks anything.');
    },
  });
  const request = new IncomingMessage(new Socket());
  const ended: string[] = [];
  for (const key of ['told', 'untold']) {
    const session = await sessions.open({
      request,
      headers: { key },
      requestId: 'r',
      end(error) {
        ended.push(`${key}: ${error.code}`);
        session.close();
      },
    });
  }
  taken.add('told');
  const before = looks;
  // However much changes at once, everybody is looked at once.
  for (let times = 0; times < 5; times++) sessions.lookAgain();
  await jest.advanceTimersByTimeAsync(100);
  expect([ended, looks - before]).toEqual([['told: UNAUTHENTICATED'], 2]);
  taken.add('untold');
  await jest.advanceTimersByTimeAsync(800);
  expect(ended).toHaveLength(1);
  await jest.advanceTimersByTimeAsync(300);
  expect(ended).toEqual(['told: UNAUTHENTICATED', 'untold: UNAUTHENTICATED']);
  sessions.stop();
});
