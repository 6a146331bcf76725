import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { owner } from '../../seeds/demo/people.ts';
import { barriersOn } from './support/axe.ts';
import { ask, keyWith, url } from './support/service.ts';
import { closeBrowser, type Visitor, visit } from './support/visitor.ts';

const name = `browser-${randomUUID().slice(0, 8)}`;

let ada: Visitor;
let key: string;
/** What calls name the guardrail by, which the service makes of its name. */
let slug: string;
beforeAll(async () => {
  key = await keyWith('research', 'completions.write');
  ada = await visit({ as: owner });
});
afterAll(async () => {
  await ada.leave();
  await closeBrowser();
});

const call = async (content: string, stream = false): Promise<number> => {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-gateway-api-key': key,
      'x-gateway-config': JSON.stringify({ provider: '@mock', input_guardrails: [slug] }),
    },
    body: JSON.stringify({ model: 'mock-1', stream, messages: [{ role: 'user', content }] }),
  });
  await response.text();
  return response.status;
};

/** Has a text tried on the bench, and waits for what it comes to. */
async function tried(text: string, verdict: string | RegExp): Promise<void> {
  await ada.page.getByLabel('Text', { exact: true }).fill(text);
  await ada.page.getByRole('button', { name: 'Try', exact: true }).click();
  await ada.page.getByText(verdict).waitFor();
}

const texts = [
  'what is a sluice',
  'my hunter2 is secret',
  'HUNTER2 in capitals',
  'correct horse',
  'a battery staple',
  'a batterystaple',
  'hunter 2',
  'hunter2',
  'xhunter2x',
  'hunter2.',
  'Hunter2, they said',
  '"hunter2"',
  'hunter２',
  'the battery  staple',
  'the battery\nstaple',
  'BATTERY STAPLE',
  'staple battery',
  'höhere Gewalt',
  '水門は何ですか',
  '🌊 hunter2 🌊',
];

it('a guardrail is made from the catalogue, and its bench agrees with calls', async () => {
  const { page, open } = ada;
  await open('research/guardrails', 'Guardrails');
  await page.getByRole('button', { name: 'New guardrail' }).first().click();
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.getByRole('button', { name: 'Add a check' }).click();
  await page.getByRole('searchbox', { name: 'Search' }).fill('default.contains');
  await page.getByRole('button', { name: /^default\.contains / }).click();
  expect(await page.getByRole('button', { name: 'Save', exact: true }).getAttribute('title')).toBe(
    'words is missing.',
  );
  await page.getByLabel('words (required)').fill('hunter2\nbattery staple');
  await page.getByRole('combobox', { name: 'operator' }).click();
  await page.getByRole('option', { name: 'none', exact: true }).click();
  await tried('my hunter2', 'Refused with 446');
  expect(await barriersOn(page)).toEqual([]);
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('heading', { level: 1, name }).waitFor();
  slug = new URL(page.url()).pathname.split('/').at(-1) ?? '';
  for (const text of texts) {
    const status = await call(text);
    expect([text, await call(text, true)]).toEqual([text, status]);
    await tried(text, status === 446 ? 'Refused with 446' : 'It passes');
  }
  expect(await Promise.all(texts.slice(0, 2).map((text) => call(text)))).toEqual([200, 446]);
});

it('what somebody else has changed meanwhile is not overwritten', async () => {
  const { page } = ada;
  await ask(
    `mutation ($input: UpdateGuardrailInput!) { updateGuardrail(id: "${slug}", input: $input) { id } }`,
    { input: { actions: { deny: false } } },
  );
  await page.getByLabel('words (required)').fill('sluice');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('button', { name: 'Read it anew' }).click();
  await page.getByRole('checkbox', { name: /Refuse a call that fails/, checked: false }).waitFor();
  expect(await page.getByLabel('words (required)').inputValue()).toBe('hunter2\nbattery staple');
});

it('a version is brought back, and a guardrail is deleted', async () => {
  const { page } = ada;
  await page.getByRole('tab', { name: 'Versions' }).click();
  await page.getByRole('button', { name: 'Restore', exact: true }).click();
  await page.getByText(/is as it was then/).waitFor();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByText(`${name} is deleted`).waitFor();
  await page.getByRole('heading', { level: 1, name: 'Guardrails' }).waitFor();
  expect(await page.getByRole('cell', { name, exact: true }).count()).toBe(0);
});

it('what calls come under is shown', async () => {
  await ada.open('research/guardrails?view=enforced', 'Guardrails');
  await ada.page.getByText('Nothing is enforced here').waitFor();
  expect(await barriersOn(ada.page)).toEqual([]);
});

it('nothing of that was in trouble', () => {
  expect(ada.trouble.seen()).toEqual([]);
});
