import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { owner } from '../../seeds/demo/people.ts';
import { eventually } from '../support/eventually.ts';
import { listOperations } from './support/graph.ts';
import { seeds, url } from './support/service.ts';
import { closeBrowser, PATIENCE, type Visitor, visit } from './support/visitor.ts';

let visitor: Visitor;
beforeAll(async () => {
  visitor = await visit({ as: owner });
});
afterAll(async () => {
  await visitor.leave();
  await closeBrowser();
});

const configTo = (model: string) => ({
  strategy: { mode: 'fallback' },
  targets: [
    { provider: '@mock', override_params: { model: 'mock-error-507' } },
    { provider: '@mock', override_params: { model } },
  ],
});

/** A call that its first target refuses, and a model of the second answers; answers the id of its trace. */
async function call(text: string, team: string, model = 'mock-1'): Promise<string> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${seeds.workspace_api_key}`,
      'content-type': 'application/json',
      'x-gateway-config': JSON.stringify(configTo(model)),
      'x-gateway-metadata': JSON.stringify({ team }),
    },
    body: JSON.stringify({ model: 'mock-1', messages: [{ role: 'user', content: text }] }),
  });
  expect([response.status, await response.text()]).toEqual([200, expect.any(String)]);
  return response.headers.get('x-gateway-trace-id') ?? '';
}

const rows = (of: Visitor = visitor) => of.page.getByRole('grid', { name: 'Logs' }).getByRole('row');

it('a call is seen arriving, and opens as the way that it took', async () => {
  const { page, open } = visitor;
  await open('_/logs', 'Logs');
  await page.getByText('Live', { exact: true }).first().waitFor();
  // The second target takes long enough for the log of the first to be opened before there is another.
  const calling = call(
    '**bold** <img src=x onerror="document.title=\'owned\'"> ![x](https://evil.example/a.png)',
    'arrivals',
    'mock-delay-5000',
  );
  await page
    .getByRole('button', { name: /^mock-error-507$/ })
    .first()
    .waitFor();
  // Other calls arrive as well.
  await rows()
    .filter({ has: page.getByRole('button', { name: /^mock-error-507$/ }) })
    .first()
    .click({ position: { x: 30, y: 12 } });
  const log = page.getByRole('article');
  const way = log.getByRole('region', { name: 'The way of the request' });
  await way.getByRole('button', { name: /1\s*@mock\s*507/ }).waitFor();
  const isEarly = (await way.getByRole('button').count()) === 1;
  await log.getByText(await calling).waitFor();
  // What was not there when the log was opened comes by itself.
  expect(isEarly).toBe(true);
  await way.getByRole('button', { name: /2\s*@mock\s*200/ }).waitFor();
  // What was written to the model is text: nothing of it runs, and nothing is loaded.
  await log.getByText('<img src=x').first().waitFor();
  await log.getByText('image, not loaded: evil.example').first().waitFor();
  expect(await log.locator('img').count()).toBe(0);
  expect(await page.title()).not.toContain('owned');
});

it('an address shows the same to somebody else', async () => {
  await call('Who else sees this?', 'addresses');
  const { page, open } = visitor;
  await open('_/logs', 'Logs');
  const field = page.getByRole('combobox', { name: 'Filter' });
  await field.fill('meta.team:addresses status:507');
  await field.press('Enter');
  // The rows of before stay in sight until those of the filter are there.
  await eventually(async () => expect(await rows().count()).toBe(2), PATIENCE);
  const colleague = await visit({ as: owner });
  await colleague.page.goto(page.url());
  await eventually(async () => expect(await rows(colleague).count()).toBe(2), PATIENCE);
  expect(await colleague.page.getByRole('combobox', { name: 'Filter' }).inputValue()).toBe(
    'meta.team:addresses status:507',
  );
  expect(colleague.trouble.seen()).toEqual([]);
  await colleague.leave();
});

it('is worked by keys alone, and a filter that means nothing says so', async () => {
  const { page, open } = visitor;
  await open('_/logs?range=7d', 'Logs');
  await rows().nth(3).waitFor();
  await page.keyboard.press('j');
  const log = page.getByRole('article');
  await log.waitFor();
  const first = await log.getAttribute('aria-label');
  await page.keyboard.press('j');
  await page
    .getByRole('article')
    .and(page.locator(`:not([aria-label="${first}"])`))
    .waitFor();
  await page.keyboard.press('Escape');
  await log.waitFor({ state: 'detached' });
  await page.keyboard.press('/');
  await page.keyboard.type('stauts:200');
  await page.keyboard.press('Enter');
  await page.getByRole('alert').getByText('stauts: there is no such field').waitFor();
});

it('the way back leads to the same filter, and to where one was in the list', async () => {
  const { page, open } = visitor;
  await open('_/logs?range=7d&q=status:200', 'Logs');
  await rows().nth(3).waitFor();
  const list = page.getByRole('grid', { name: 'Logs' }).locator('..');
  const top = () => list.evaluate(({ scrollTop }) => scrollTop);
  await list.evaluate((element) => {
    element.scrollTop = 1600;
  });
  await page.getByRole('link', { name: 'Spend' }).click();
  await page.getByRole('heading', { level: 1, name: 'Spend' }).waitFor();
  await page.goBack();
  await page.getByRole('heading', { level: 1, name: 'Logs' }).waitFor();
  expect(await page.getByRole('combobox', { name: 'Filter' }).inputValue()).toBe('status:200');
  await eventually(async () => expect(await top()).toBe(1600), PATIENCE);
  // A page that is new begins at its top.
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByText('Members of a workspace').first().waitFor();
  const content = page.locator('#content');
  await content.evaluate((element) => {
    element.scrollTop = 200;
  });
  expect(await content.evaluate(({ scrollTop }) => scrollTop)).toBe(200);
  await page.getByRole('link', { name: 'Spend' }).click();
  await page.getByRole('heading', { level: 1, name: 'Spend' }).waitFor();
  await eventually(async () => expect(await content.evaluate(({ scrollTop }) => scrollTop)).toBe(0));
});

it('asks the server twice when it opens, and listens once', async () => {
  const other = await visit({ as: owner });
  const asked = listOperations(other.page);
  await other.open('_/logs', 'Logs');
  await rows(other).nth(3).waitFor();
  await other.page.getByText('Live', { exact: true }).first().waitFor();
  expect(asked.sort()).toEqual(['LogTail', 'LogsOpen', 'Viewer']);
  await other.leave();
});

it('was never in trouble', () => {
  expect(visitor.trouble.seen()).toEqual([]);
});
