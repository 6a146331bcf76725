import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { barriersOn } from './support/axe.ts';
import { ask, keyWith, linkFor, url } from './support/service.ts';
import { closeBrowser, type Visitor, visit } from './support/visitor.ts';

/** Nobody else's test signs in as them. */
const edsger = { email: 'edsger@example.com' };
const alan = { email: 'alan@example.com' };

let visitor: Visitor;
beforeAll(async () => {
  visitor = await visit({ as: null });
});
afterAll(async () => {
  await visitor.leave();
  await closeBrowser();
});

/** The page that asks to sign in says why, and what helps. */
async function expectTold({ page }: Visitor, reason: string | RegExp): Promise<void> {
  await page.getByText(reason).first().waitFor();
  await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
  await page.getByText(/Owners and admins make you a link on the page Access/).waitFor();
  expect(await barriersOn(page)).toEqual([]);
}

it('a link that was used says so, and asks for another', async () => {
  const link = await linkFor(edsger.email);
  const first = await visit({ as: null });
  await first.page.goto(`${url}/console/#${link}`);
  await first.page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
  await first.leave();
  await visitor.page.goto(`${url}/console/#${link}`);
  await expectTold(visitor, 'The link does not exist, was used, or is too old. Ask for a new one.');
});

it('a wrong key is refused in words', async () => {
  const { page } = visitor;
  await page.getByLabel('API key').fill(`sl-${'a'.repeat(43)}`);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await expectTold(visitor, 'The API key is not valid.');
});

it('a key that has expired ends what was signed in with it, and the page keeps its place', async () => {
  const secret = await keyWith('search', 'logs.list', 'analytics.view');
  const holder = await visit({ as: { key: secret } });
  await holder.open('search/home', 'Home');
  const { identifyApiKey } = await ask<{ identifyApiKey: { apiKey: { id: string } } }>(
    'mutation ($secret: String!) { identifyApiKey(input: { secret: $secret }) { apiKey { id } } }',
    { secret },
  );
  await ask(
    'mutation ($id: ID!, $input: UpdateApiKeyInput!) { updateApiKey(id: $id, input: $input) { id } }',
    {
      id: identifyApiKey.apiKey.id,
      input: { expiresAt: new Date(Date.now() + 3000).toISOString() },
    },
  );
  await expectTold(holder, /The API key has expired/);
  expect(holder.page.url().split('?')[0]).toBe(`${url}/console/search/home`);
  await holder.leave();
});

it('a sign-in that somebody else has ended says so within seconds', async () => {
  const person = await visit({ as: edsger });
  await person.open('search/home', 'Home');
  const { signIns } = await ask<{ signIns: { data: { id: string; name: string }[] } }>(
    '{ signIns(pageSize: 500) { data { id name } } }',
  );
  for (const { id } of signIns.data.filter(({ name }) => name === edsger.email))
    await ask('mutation ($id: ID!) { revokeSignIn(id: $id) }', { id });
  await expectTold(person, 'The sign-in is over. Sign in again.');
  await person.leave();
});

it('a person who is blocked is out within seconds, and is told what to do', async () => {
  const { users } = await ask<{ users: { data: { id: string; email: string }[] } }>(
    '{ users(pageSize: 500) { data { id email } } }',
  );
  const id = users.data.find(({ email }) => email === alan.email)?.id;
  const setStatus = (status: 'active' | 'inactive') =>
    ask(
      'mutation ($id: ID!, $input: UpdateScimUserInput!) { updateScimUser(id: $id, input: $input) { id } }',
      {
        id,
        input: { status },
      },
    );
  const unused = await linkFor(alan.email);
  const person = await visit({ as: alan });
  await person.open('search/home', 'Home');
  await setStatus('inactive');
  try {
    await expectTold(person, 'The sign-in is over. Sign in again.');
    await person.page.goto(`${url}/console/#${unused}`);
    await expectTold(
      person,
      'The user was deactivated or deleted. Ask an owner or admin of the organisation.',
    );
  } finally {
    await setStatus('active');
  }
  await person.leave();
});

it('nothing of that was in trouble', () => {
  expect(visitor.trouble.seen()).toEqual([]);
});
