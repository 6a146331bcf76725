import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { rounds } from '../../../support/long.ts';
import { json } from '../../../support/provider.ts';
import { startWorld, type World } from '../../../support/world.ts';
import { answers, placesIn, replaced, requests } from './bodies.ts';

jest.setTimeout(rounds(120_000, 900_000));

let world: World;
beforeAll(async () => {
  world = await startWorld();
  const rest = async (method: string, path: string, body: object) =>
    (await world.app.rest(method, `/v1${path}`, { key: world.app.adminKey, body })).body as { id: string };
  const parameters = { rule: 'forbidden-[a-z]{9}', redactText: '[GONE]' };
  const checks = [{ id: 'default.regexReplace', parameters }];
  const { id } = await rest('POST', '/org-guardrails', { name: 'Gone', checks });
  await rest('PUT', '/admin/organisation/defaults', { input_guardrails: [id], output_guardrails: [id] });
  await world.call({ config: to('/chat/completions'), body: { model: 'm', messages: [] } });
});
afterAll(() => world.stop());

const to = (path: string) => ({
  provider: path.startsWith('/messages') ? 'anthropic' : 'openai',
  ...{ api_key: 'k', custom_host: world.provider.url },
});
const concrete = (path: string) => `/v1${path.replace('/proxy/{endpoint}', '/proxy/anything')}`;

/** Letters beyond hex: times and identifiers of an answer contain none of them by chance. */
const SECRET = 'forbidden-zebrafish';
const hex = (text: string) => Buffer.from(text).toString('hex');
const base64 = (text: string) => Buffer.from(text).toString('base64');
const full = (text: string) =>
  text.replace(/[!-~]/g, (one) => String.fromCharCode(one.charCodeAt(0) + 0xfee0));

/** Each way to write it, and what of it would have to be left for a reader to find it. */
const written: Record<string, { text: string; trace: string }> = {
  plain: { text: `say ${SECRET} now`, trace: 'zebra' },
  'without a width': { text: [...SECRET].join('\u200b'), trace: '\u200bz\u200be\u200bb' },
  'full width': { text: full(SECRET), trace: full('zebra') },
  base64: { text: base64(`say ${SECRET} now`), trace: base64(`say ${SECRET} now`) },
  hex: { text: hex(`say ${SECRET} now`), trace: hex(SECRET) },
  'URL escapes': { text: SECRET.replaceAll('-', '%2d').replace('z', '%7a'), trace: 'ebra' },
  escapes: { text: SECRET.replace('z', '\\u007a'), trace: 'ebra' },
  strokes: { text: [...SECRET].map((one) => `${one}\u0336`).join(''), trace: 'z\u0336e\u0336' },
};
const paths = Object.keys(requests).filter((path) => !path.includes('{batch') && !path.includes('{fine'));

test.each(paths)('%s: nothing of a match reaches the provider', async (path) => {
  const left: string[] = [];
  for (const place of placesIn(requests[path]))
    for (const [how, { text, trace }] of Object.entries(written)) {
      world.provider.play(json(200, { ok: true }));
      world.provider.requests.length = 0;
      const body = replaced(requests[path], place, text);
      const { status } = await world.call({ path: concrete(path), config: to(path), body });
      const sent = String(world.provider.requests[0]?.body).replaceAll('\\\\', '\\');
      if (status !== 200 || sent.includes(trace) || !sent.includes('[GONE]'))
        left.push(`${place.join('.')} ${how}: ${status}`);
    }
  expect(left).toEqual([]);
});

test.each(Object.keys(answers))('%s: nothing of a match comes back', async (path) => {
  const left: string[] = [];
  for (const place of placesIn(answers[path]))
    for (const [how, { text, trace }] of Object.entries(written)) {
      world.provider.play(json(200, replaced(answers[path], place, text)));
      const { status, text: got } = await world.call({
        ...{ path: concrete(path), config: to(path), body: requests[path] },
      });
      if (status !== 200 || got.replaceAll('\\\\', '\\').includes(trace) || !got.includes('[GONE]'))
        left.push(`${place.join('.')} ${how}: ${status}`);
    }
  expect(left).toEqual([]);
});

test.each([
  [`see https://a.example/x%20y?m=${SECRET}&z=1 more`, 'see https://a.example/x%20y?m=[GONE]&z=1 more'],
  ['go%20forbidden%2Dzebrafish%20on', 'go%20[GONE]%20on'],
  [`caf%C3%A9-${SECRET}%C3%A9`, 'caf%C3%A9-[GONE]%C3%A9'],
  [`caf%E9-${SECRET}%E9`, 'caf%E9-[GONE]%E9'],
  ['x\\u0020forbidden-\\u007aebrafish\\u0020y', 'x\\u0020[GONE]\\u0020y'],
  ['a%20forbidden-ze and%20brafish%20b', 'a%20forbidden-ze and%20brafish%20b'],
  // Half of the sign for "fi".
  ['so forbidden-zebraabcﬁn', 'so [GONE]n'],
])('of %j, what is beside a match stays', async (text, expected) => {
  world.provider.play(json(200, { ok: true }));
  world.provider.requests.length = 0;
  const messages = [text, 'and%20then'].map((content) => ({ role: 'user', content }));
  await world.call({ config: to('/chat/completions'), body: { model: 'm', messages } });
  const sent = JSON.parse(String(world.provider.requests[0]?.body)).messages;
  expect(sent.map(({ content }: { content: string }) => content)).toEqual([expected, 'and%20then']);
});

test('of two matches that overlap, nothing is left', async () => {
  world.provider.play(json(200, { ok: true }));
  world.provider.requests.length = 0;
  const body = { model: 'm', messages: [{ role: 'user', content: 'AAAA-1111-BBBB' }] };
  const checks = ['AAAA-1111', '1111-BBBB'].map((rule) => ({
    ...{ id: 'default.regexReplace', parameters: { rule, redactText: '[GONE]' } },
  }));
  await world.call({ config: { ...to('/chat/completions'), input_guardrails: [{ checks }] }, body });
  expect(String(world.provider.requests[0]?.body)).not.toContain('1111');
});
