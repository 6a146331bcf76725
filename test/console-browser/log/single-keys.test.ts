import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { owner } from '../../../seeds/demo/people.ts';
import { closeBrowser, type Visitor, visit } from '../support/visitor.ts';

let ada: Visitor;
beforeAll(async () => {
  ada = await visit({ as: owner });
});
afterAll(async () => {
  await ada.leave();
  await closeBrowser();
});

const heading = (name: string) => ada.page.getByRole('heading', { level: 1, name }).waitFor();

it.each([
  ['l', 'Logs'],
  ['s', 'Spend'],
  ['p', 'Providers'],
  ['c', 'Configs'],
  ['k', 'Keys'],
  ['h', 'Home'],
])('g and %s lead to %s', async (key, title) => {
  const { page, open } = ada;
  await open('research/settings', 'Settings');
  await page.keyboard.press('g');
  await page.keyboard.press(key);
  await heading(title);
});

it('the theme is changed, the address copied and the help opened by one key each', async () => {
  const { page, open } = ada;
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await open('_/logs?range=7d&q=status:200', 'Logs');
  await page.keyboard.press('t');
  await page.locator('html[data-theme=dark]').waitFor();
  await page.keyboard.press('t');
  await page.locator('html[data-theme=light]').waitFor();
  await page.keyboard.press('y');
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(page.url());
  await page.keyboard.press('?');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
});

it('the list of logs stops following by one key, and follows again', async () => {
  const { page, open } = ada;
  await open('_/logs', 'Logs');
  const live = page.getByRole('button', { name: 'Live', exact: true });
  await live.and(page.locator('[aria-pressed=true]')).waitFor();
  await page.keyboard.press('.');
  await live.and(page.locator('[aria-pressed=false]')).waitFor();
  expect(new URL(page.url()).searchParams.get('live')).toBe('off');
  await page.keyboard.press('.');
  await live.and(page.locator('[aria-pressed=true]')).waitFor();
});

it('who types into a field, or has switched them off, is left alone', async () => {
  const { page, open } = ada;
  await open('_/logs?range=7d', 'Logs');
  await page.keyboard.press('/');
  await page.keyboard.type('gh t?');
  expect(await page.getByRole('combobox', { name: 'Filter' }).inputValue()).toBe('gh t?');
  await heading('Logs');
  await open('_/settings?view=own', 'Settings');
  await page.getByRole('button', { name: 'Shortcuts off' }).click();
  await page.getByRole('button', { name: 'Shortcuts off', pressed: true }).waitFor();
  await page.getByRole('heading', { level: 1 }).click();
  await page.keyboard.press('t');
  await page.keyboard.press('?');
  await page.keyboard.press('g');
  await page.keyboard.press('l');
  await heading('Settings');
  expect(await page.locator('html').getAttribute('data-theme')).toBe('light');
  expect(await page.getByRole('dialog').count()).toBe(0);
});

it('nothing of that was in trouble', () => {
  expect(ada.trouble.seen()).toEqual([]);
});
