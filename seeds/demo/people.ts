import type { Ask } from './graph.ts';

/** Who works at the demo's organisation; the owner is made by a set-up link. */
export const owner = { email: 'ada@example.com', firstName: 'Ada', lastName: 'Lovelace' };

type Person = {
  email: string;
  firstName: string;
  lastName: string;
  role: 'admin' | 'member';
  /** Roles by the slugs of workspaces. */
  workspaces: Record<string, 'admin' | 'manager' | 'member'>;
};

export const people: readonly Person[] = [
  { email: 'grace@example.com', firstName: 'Grace', lastName: 'Hopper', role: 'admin', workspaces: {} },
  {
    email: 'alan@example.com',
    firstName: 'Alan',
    lastName: 'Turing',
    role: 'member',
    workspaces: { search: 'admin', support: 'member' },
  },
  {
    email: 'katherine@example.com',
    firstName: 'Katherine',
    lastName: 'Johnson',
    role: 'member',
    workspaces: { research: 'manager' },
  },
  {
    email: 'edsger@example.com',
    firstName: 'Edsger',
    lastName: 'Dijkstra',
    role: 'member',
    workspaces: { search: 'member' },
  },
];

type Invited = { createInvite: { inviteLink: string } };
type Accepted = { acceptInvite: { userId: string } };

/** Invites whoever is not there yet, and accepts in the person's place; answers everybody's id by address. */
export async function seedPeople(ask: Ask, anyone: Ask): Promise<Map<string, string>> {
  const found = await ask<{ users: { data: { id: string; email: string }[] } }>(
    '{ users(pageSize: 100) { data { id email } } }',
  );
  const ids = new Map(found.users.data.map(({ id, email }) => [email, id]));
  for (const { email, role, workspaces, firstName, lastName } of people) {
    if (ids.has(email)) continue;
    const input = {
      email,
      role,
      workspaces: Object.entries(workspaces).map(([id, its]) => ({ id, role: its })),
    };
    const { createInvite } = await ask<Invited>(
      'mutation ($input: CreateInviteInput!) { createInvite(input: $input) { inviteLink } }',
      { input },
    );
    const token = createInvite.inviteLink.split('/').at(-1);
    const { acceptInvite } = await anyone<Accepted>(
      'mutation ($input: AcceptInviteInput!) { acceptInvite(input: $input) { userId } }',
      { input: { token, firstName, lastName } },
    );
    ids.set(email, acceptInvite.userId);
  }
  return ids;
}
