import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { owner } from '../../seeds/demo/people.ts';
import { testedPages } from './pages.ts';
import { hold, listOperations, refuse } from './support/graph.ts';
import { ask, keyWith } from './support/service.ts';
import { closeBrowser, type Visitor, visit } from './support/visitor.ts';

const fresh = `fresh-${randomUUID().slice(0, 8)}`;

/** What is asked once for all pages. */
const ofShell = ['Viewer'];

let owned: Visitor;
let stranger: Visitor;
beforeAll(async () => {
  await ask('mutation ($input: CreateWorkspaceInput!) { createWorkspace(input: $input) { id } }', {
    input: { name: fresh, slug: fresh },
  });
  owned = await visit({ as: owner });
  stranger = await visit({ as: { key: await keyWith(fresh, 'feedbacks.write') } });
});
afterAll(async () => {
  await owned.leave();
  await stranger.leave();
  await closeBrowser();
});

describe.each(testedPages)(
  'the page $title',
  ({ path, workspace = '_', title, operation, later = [], filled, empty, emptyPath = path, scope }) => {
    it('says what to do where there is nothing yet', async () => {
      if (empty === null) return;
      await owned.open(`${fresh}/${emptyPath}`, title);
      await owned.page.getByText(empty).first().waitFor();
    });

    it('stands after one question, asked once', async () => {
      const asked = listOperations(owned.page, { streams: false });
      await owned.open(`${workspace}/${path}`, title);
      await owned.page.getByText(filled).first().waitFor();
      expect(asked.filter((name) => ![...ofShell, ...later].includes(name))).toEqual([operation]);
    });

    it('keeps its place while the answer is on its way', async () => {
      const release = await hold(owned.page, operation);
      await owned.open(`${workspace}/${path}`, title);
      await owned.page.getByRole('status', { name: 'Loading' }).first().waitFor();
      release();
      await owned.page.getByText(filled).first().waitFor();
      expect(await owned.page.getByRole('status', { name: 'Loading' }).count()).toBe(0);
    });

    it('says that the store is away, and is there after another try', async () => {
      const restore = await refuse(owned.page, operation, 'STORE_UNAVAILABLE', 'The store is away.');
      await owned.open(`${workspace}/${path}`, title);
      await owned.page.getByRole('alert').getByText('The store is away.').waitFor();
      restore();
      await owned.page.getByRole('button', { name: 'Retry', exact: true }).click();
      await owned.page.getByText(filled).first().waitFor();
    });

    it('names the scope that is missing, and who gives it', async () => {
      await stranger.open(`${fresh}/${path}`, title);
      await stranger.page.getByText(/You have no permission to see/).waitFor();
      // The page may ask once more in between, and shows nothing of the refusal meanwhile.
      await stranger.page.getByRole('main').filter({ hasText: scope }).waitFor();
      await stranger.page.getByText(/Owners and admins of the organisation give permissions/).waitFor();
    });
  },
);

it('no state of any page was in trouble', () => {
  expect([...owned.trouble.seen(), ...stranger.trouble.seen()]).toEqual([]);
});
