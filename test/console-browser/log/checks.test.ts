import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { owner } from '../../../seeds/demo/people.ts';
import { eventually } from '../../support/eventually.ts';
import { barriersOn } from '../support/axe.ts';
import { ask, keyWith, url } from '../support/service.ts';
import { closeBrowser, PATIENCE, type Visitor, visit } from '../support/visitor.ts';

const words = 'Passes when the text contains any, all or none of the words.';

let ada: Visitor;
let key: string;
beforeAll(async () => {
  key = await keyWith('research', 'completions.write');
  ada = await visit({ as: owner });
});
afterAll(async () => {
  await ada.leave();
  await closeBrowser();
});

/** A guardrail that looks for a word in what is sent. */
const against = (word: string, deny: boolean) => ({
  'default.contains': { words: [word], operator: 'none' },
  'default.wordCount': { minWords: 1, maxWords: 50 },
  deny,
});

/** Calls under a guardrail; answers the status, and the id of the log. */
async function call(content: string, guardrail: object): Promise<{ status: number; log: string }> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-gateway-api-key': key,
      'x-gateway-config': JSON.stringify({ provider: '@mock', input_guardrails: [guardrail] }),
    },
    body: JSON.stringify({ model: 'mock-1', messages: [{ role: 'user', content }] }),
  });
  await response.text();
  const traceId = response.headers.get('x-gateway-trace-id');
  const log = await eventually(async () => {
    const { logHistory } = await ask<{ logHistory: { data: { id: string }[] } }>(
      'query ($filters: LogFilters) { logHistory(filters: $filters, limit: 1) { data { id } } }',
      { filters: { traceId } },
    );
    expect(logHistory.data).toHaveLength(1);
    return logHistory.data[0]?.id ?? '';
  }, PATIENCE);
  return { status: response.status, log };
}

it.each([
  { deny: true, status: 446, outcome: 'refused the call' },
  { deny: false, status: 246, outcome: 'failed, and let the call through' },
])('a call answered with $status names the guardrail, the check and the reason', async (said) => {
  const { page, open } = ada;
  const { status, log } = await call('my hunter2 is secret', against('hunter2', said.deny));
  expect(status).toBe(said.status);
  await open(`research/logs/${log}`, 'Log');
  const finding = page.getByRole('article').getByRole('status').filter({ hasText: said.outcome });
  await finding.getByText('default.contains', { exact: true }).waitFor();
  await finding.getByText(words, { exact: true }).waitFor();
  await finding.getByText('operator: none; foundWords: hunter2', { exact: true }).waitFor();
  // A check that passed is no reason.
  expect(await finding.getByText('default.wordCount').count()).toBe(0);

  await page.getByRole('tab', { name: /^Checks/ }).click();
  const all = page.getByRole('tabpanel');
  await all.getByText('default.wordCount', { exact: true }).waitFor();
  expect(await all.getByText('failed', { exact: true }).count()).toBe(1);
  expect(await barriersOn(page)).toEqual([]);
});

it('a call that passed has nothing to answer for', async () => {
  const { page, open } = ada;
  const { status, log } = await call('what is a sluice', against('hunter2', true));
  expect(status).toBe(200);
  await open(`research/logs/${log}`, 'Log');
  await page.getByRole('tab', { name: /^Checks/ }).click();
  await page.getByRole('tabpanel').getByText('default.contains', { exact: true }).waitFor();
  expect(await page.getByText('refused the call').count()).toBe(0);
  expect(await page.getByRole('tabpanel').getByText('failed', { exact: true }).count()).toBe(0);
});

it('nothing of that was in trouble', () => {
  expect(ada.trouble.seen()).toEqual([]);
});
