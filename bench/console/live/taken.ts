import type { Browser } from 'playwright-core';
import { type Ask, askAt } from '../../../seeds/demo/graph.ts';
import type { RunningSluice } from '../../processes.ts';

const ROUNDS = 5;
/** Milliseconds after which a tab whose page has no stream of its own listens, and some more. */
const LISTENS = 2000;

/** Milliseconds from the answer to who took somebody's role away until the person's page says so: the middle of some rounds. */
export async function measureTaken(browser: Browser, { port, adminKey }: RunningSluice): Promise<number> {
  const url = `http://127.0.0.1:${port}`;
  const ask = askAt(url, adminKey);
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) times.push(await takenFrom(browser, { url, ask, round }));
  times.sort((a, b) => a - b);
  return times[Math.floor(ROUNDS / 2)] ?? Number.NaN;
}

type Given = { url: string; ask: Ask; round: number };

async function takenFrom(browser: Browser, { url, ask, round }: Given): Promise<number> {
  const slug = `taken-${round}`;
  const userId = await invite({ url, ask, round }, slug);
  const { made } = await ask<{ made: { signInLink: string } }>(
    'mutation ($userId: ID!) { made: createSignInLink(userId: $userId) { signInLink } }',
    { userId },
  );
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(made.signInLink.replace(/^[^#]*/, `${url}/console/`));
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
  await page.goto(`${url}/console/${slug}/keys`);
  await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor();
  await page.waitForTimeout(LISTENS);
  const shown = page.getByText(/There is no such workspace for you|You have no permission/).waitFor();
  await ask(
    'mutation ($workspaceId: ID!, $userId: ID!) { deleteMember(workspaceId: $workspaceId, userId: $userId) }',
    {
      workspaceId: slug,
      userId,
    },
  );
  const takenAt = performance.now();
  await shown;
  const took = performance.now() - takenAt;
  await context.close();
  return took;
}

/** Somebody who is in one workspace, which is made for that; answers the person's id. */
async function invite({ url, ask, round }: Given, slug: string): Promise<string> {
  await ask('mutation ($input: CreateWorkspaceInput!) { createWorkspace(input: $input) { id } }', {
    input: { name: slug, slug },
  });
  const workspaces = [{ id: slug, role: 'member' }];
  const { createInvite } = await ask<{ createInvite: { inviteLink: string } }>(
    'mutation ($input: CreateInviteInput!) { createInvite(input: $input) { inviteLink } }',
    { input: { email: `member-${round}@example.com`, role: 'member', workspaces } },
  );
  const token = createInvite.inviteLink.split('/').at(-1);
  const { acceptInvite } = await askAt(url, null)<{ acceptInvite: { userId: string } }>(
    'mutation ($input: AcceptInviteInput!) { acceptInvite(input: $input) { userId } }',
    { input: { token, firstName: 'Mary', lastName: 'Jackson' } },
  );
  return acceptInvite.userId;
}
