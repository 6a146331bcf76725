import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { owner } from '../../seeds/demo/people.ts';
import { eventually } from '../support/eventually.ts';
import { barriersOn } from './support/axe.ts';
import { ask } from './support/service.ts';
import { closeBrowser, type Visitor, visit } from './support/visitor.ts';

const view = `view-${randomUUID().slice(0, 8)}`;
/** Nobody else's test signs in as her. */
const katherine = { email: 'katherine@example.com' };

let ada: Visitor;
beforeAll(async () => {
  await ask('mutation ($input: CreateSavedViewInput!) { createSavedView(input: $input) { id } }', {
    input: { page: 'logs', name: view, query: 'q=status:5xx', shared: true },
  });
  ada = await visit({ as: owner });
});
afterAll(async () => {
  await ada.leave();
  await closeBrowser();
});

type Stored = { allowExportOverride: boolean; switches: { membersViewPrompts: boolean } };
const stored = async (): Promise<Stored> => {
  const { organisation } = await ask<{ organisation: { settings: Stored } }>(
    '{ organisation { settings { allowExportOverride switches { membersViewPrompts } } } }',
  );
  return organisation.settings;
};

it('settings and switches are saved, and taken back', async () => {
  const { page, open } = ada;
  const before = await stored();
  await open('_/settings', 'Settings');
  const exports = page.getByRole('checkbox', { name: /choose for themselves what log exports hold/ });
  const prompts = page
    .getByRole('group', { name: 'Members of a workspace may' })
    .getByRole('checkbox', { name: 'view prompts', exact: true });
  for (const isChanged of [true, false]) {
    await exports.setChecked(before.allowExportOverride !== isChanged);
    await prompts.setChecked(before.switches.membersViewPrompts !== isChanged);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await eventually(async () => {
      const { allowExportOverride, switches } = await stored();
      expect([allowExportOverride, switches.membersViewPrompts]).toEqual([
        before.allowExportOverride !== isChanged,
        before.switches.membersViewPrompts !== isChanged,
      ]);
    });
  }
});

it('a saved view is deleted, and the installation tells of itself', async () => {
  const { page, open } = ada;
  await open('_/settings?view=own', 'Settings');
  await page.getByRole('button', { name: `Delete ${view}` }).click();
  await page.getByText('The view is deleted').waitFor();
  await page.getByRole('button', { name: `Delete ${view}` }).waitFor({ state: 'detached' });
  expect(await barriersOn(page)).toEqual([]);
  await page.getByRole('tab', { name: 'Installation' }).click();
  await page.getByText('Running since').waitFor();
  expect(await barriersOn(page)).toEqual([]);
});

it('a sign-in that is ended elsewhere asks to sign in again', async () => {
  const first = await visit({ as: katherine });
  const second = await visit({ as: katherine });
  await second.open('research/settings?view=own', 'Settings');
  await first.open('research/settings?view=own', 'Settings');
  await first.page.getByRole('button', { name: 'End', exact: true }).click();
  await first.page.getByText('The sign-in has ended').waitFor();
  await second.page.goto(second.page.url());
  await second.page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
  expect(first.trouble.seen()).toEqual([]);
  await first.leave();
  await second.leave();
});

it('nothing of that was in trouble', () => {
  expect(ada.trouble.seen()).toEqual([]);
});
