import type { BrowserContext } from 'playwright-core';
import type { RunningSluice } from '../../processes.ts';

/** Bytes of the question, which is near the most that is kept of a body. */
const BODY = 500 * 1024;
const TEAM = 'long-bodies';

/** Milliseconds from the press of a key until a log with a body of half a megabyte can be read. */
export async function measureBody(
  context: BrowserContext,
  { port, workspaceKey }: Pick<RunningSluice, 'port' | 'workspaceKey'>,
): Promise<number> {
  const url = `http://127.0.0.1:${port}`;
  const sentence = 'How high does the water stand behind the gate? ';
  const content = `Read this. ${sentence.repeat(Math.floor(BODY / sentence.length))}`;
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-gateway-api-key': workspaceKey,
      'x-gateway-metadata': JSON.stringify({ team: TEAM }),
    },
    body: JSON.stringify({ model: '@mock/mock-1', messages: [{ role: 'user', content }] }),
  });
  if (!response.ok) throw new Error(`No call: ${await response.text()}`);
  await response.arrayBuffer();
  const page = await context.newPage();
  await page.goto(`${url}/console/_/logs?q=meta.team:${TEAM}`);
  await page.getByRole('grid', { name: 'Logs' }).getByText('mock-1').first().waitFor();
  // Whoever looks from outside takes time of the page: it says itself when the text is there, and drawn.
  const took = (await page.evaluate(`new Promise((resolve) => {
    const since = performance.now();
    const look = () => document.querySelector('article')?.textContent.includes('Read this.')
      ? requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - since)))
      : requestAnimationFrame(look);
    document.dispatchEvent(new KeyboardEvent('keydown', { key: 'j', bubbles: true }));
    look();
  })`)) as number;
  await page.close();
  return took;
}
