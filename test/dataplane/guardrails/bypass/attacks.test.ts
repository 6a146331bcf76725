import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { json } from '../../../support/provider.ts';
import { type Forbidding, startForbidding } from './forbidding.ts';
import { type Attack, chat, forms, places, spellings, WORD } from './hidden.ts';

jest.setTimeout(120_000);

let world: Forbidding;
beforeAll(async () => {
  world = await startForbidding();
});
afterAll(() => world.stop());

function attempt({ path = '/v1/chat/completions', body, type, method = 'POST', config = {} }: Attack) {
  world.provider.play(json(200, { ok: true }));
  const provider = path === '/v1/messages' ? 'anthropic' : 'openai';
  return world.outcome({
    ...{ path, body, method, config: world.to(provider, config) },
    ...(type !== undefined && { headers: { 'content-type': type } }),
  });
}

const refused = { status: 446, hasReached: false };

describe('no marker reaches the provider', () => {
  test.each(Object.keys(spellings))('written as %s', async (name) => {
    expect(await attempt({ body: chat(spellings[name]) })).toEqual(refused);
  });

  test.each(Object.keys(places))('in %s', async (name) => {
    expect(await attempt(places[name] ?? { body: null })).toEqual(refused);
  });

  describe.each(['/v1/files', '/v1/images/edits', '/v1/audio/transcriptions', '/v1/proxy/x'])(
    'in a form on %s',
    (path) => {
      test.each(Object.keys(forms))('%s', async (name) => {
        const type = 'multipart/form-data; boundary=b';
        expect(await attempt({ path, body: forms[name], type })).toEqual(refused);
      });
    },
  );

  test.each([
    ['a content', `{"model":"m","messages":[{"role":"user","content":"${WORD}","content":"x"}]}`],
    ['the messages', `{"model":"m","messages":["${WORD}"],"messages":[{"role":"user","content":"x"}]}`],
  ])('where %s stands there twice, as the one that another parser takes', async (_what, body) => {
    await attempt({ body });
    expect(world.provider.requests.map(({ body: sent }) => String(sent).includes(WORD))).toEqual([false]);
  });
});

test('what is like an attack and is none goes through', async () => {
  const bytes = Buffer.from(Array.from({ length: 300 }, (_, at) => (at * 137 + 11) % 256)).toString('base64');
  const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${bytes}` } };
  const audio = { type: 'input_audio', input_audio: { data: bytes, format: 'wav' } };
  const body = chat([{ type: 'text', text: 'what is it?' }, image, audio], {
    logprobs: true,
    top_logprobs: 2,
  });
  expect(await attempt({ body })).toEqual({ status: 200, hasReached: true });
  const sound = Buffer.concat([
    Buffer.from('--b\r\ncontent-disposition: form-data; name="file"; filename="a.mp3"\r\n\r\n'),
    Buffer.from(bytes, 'base64'),
    Buffer.from('\r\n--b--\r\n'),
  ]);
  const type = 'multipart/form-data; boundary=b';
  expect(await attempt({ path: '/v1/audio/transcriptions', body: sound, type })).toEqual({
    ...{ status: 200, hasReached: true },
  });
  expect(await attempt({ config: { override_params: { temperature: 0 } }, body: chat('x') })).toEqual({
    ...{ status: 200, hasReached: true },
  });
  expect(JSON.parse(String(world.provider.requests[0]?.body))).toMatchObject({ temperature: 0 });
});
