import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { owner } from '../../seeds/demo/people.ts';
import { eventually } from '../support/eventually.ts';
import { barriersOn } from './support/axe.ts';
import { seeds, url } from './support/service.ts';
import { closeBrowser, PATIENCE, type Visitor, visit } from './support/visitor.ts';

/** A picture of two by two dots. */
const dots =
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAD0lEQVR4nGNgKGgFIQgFABjGA9WceYnnAAAAAElFTkSuQmCC';

let visitor: Visitor;
beforeAll(async () => {
  visitor = await visit({ as: owner });
});
afterAll(async () => {
  await visitor.leave();
  await closeBrowser();
});

const asked = (address: string) => ({ type: 'image_url', image_url: { url: address } });

it('pictures are small pictures, cut ones and others are named, and base64 is never text', async () => {
  const content = [
    { type: 'text', text: 'What is on these?' },
    asked(`data:image/png;base64,${dots}`),
    asked(`data:image/png;base64,${dots.slice(0, 40)}`),
    asked('https://evil.example/a.png'),
  ];
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${seeds.workspace_api_key}`,
      'content-type': 'application/json',
      'x-gateway-metadata': JSON.stringify({ team: 'pictures' }),
    },
    body: JSON.stringify({ model: '@mock/mock-1', messages: [{ role: 'user', content }] }),
  });
  expect([response.status, await response.text()]).toEqual([200, expect.any(String)]);

  const { page, open } = visitor;
  await open('_/logs?q=meta.team:pictures', 'Logs');
  await page.getByRole('grid', { name: 'Logs' }).getByText('mock-1').first().waitFor();
  await page.keyboard.press('j');
  const log = page.getByRole('article');
  await log.getByText('What is on these?').first().waitFor();
  // One is drawn; of the others the page says what they are.
  const picture = log.getByRole('img', { name: 'image_url' });
  const widths = () => picture.evaluateAll((all) => all.map((one: any) => one.naturalWidth));
  await eventually(async () => expect(await widths()).toEqual([2]), PATIENCE);
  await eventually(
    async () => expect(await log.getByText('image_url', { exact: true }).count()).toBe(2),
    PATIENCE,
  );
  expect(await log.innerText()).not.toContain(dots.slice(0, 24));
  expect(await barriersOn(page)).toEqual([]);
  await log.getByRole('tab', { name: 'Request' }).click();
  await log.getByRole('tab', { name: 'Request', selected: true }).waitFor();
  expect(await log.innerText()).not.toContain(dots.slice(0, 24));
});

it('nothing of that was in trouble', () => {
  expect(visitor.trouble.seen()).toEqual([]);
});
