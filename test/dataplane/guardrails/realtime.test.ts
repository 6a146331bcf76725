import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { WebSocket } from 'ws';
import { eventually } from '../../support/eventually.ts';
import { type RealtimeProvider, startRealtimeProvider } from '../../support/realtime-provider.ts';
import { startWorld, until, type World } from '../../support/world.ts';

let world: World;
let provider: RealtimeProvider;
let slug: string;
let last: WebSocket | null = null;

beforeAll(async () => {
  const env = { ENCRYPTION_KEY: Buffer.alloc(32, 9).toString('base64') };
  [world, provider] = await Promise.all([startWorld(env), startRealtimeProvider()]);
  slug = await world.makeProvider({ configurations: { custom_host: provider.url } });
});
afterAll(async () => {
  await provider.stop();
  await world.stop();
});
afterEach(async () => {
  last?.on('error', () => undefined);
  last?.terminate();
  await enforce([], []);
});

const rest = async (method: string, path: string, body: unknown) => {
  const answer = await world.app.rest(method, `/v1${path}`, { key: world.app.adminKey, body });
  expect({ status: answer.status, body: answer.body }).toMatchObject({ status: 200 });
  return answer.body as { id: string };
};
let made = 0;
const guardrail = async (checks: object[], actions: object = { deny: true }) =>
  (await rest('POST', '/org-guardrails', { name: `Session ${++made}`, checks, actions })).id;
const enforce = (input_guardrails: string[], output_guardrails: string[]) =>
  rest('PUT', '/admin/organisation/defaults', { input_guardrails, output_guardrails });
const withoutWord = (word: string) => ({
  id: 'default.contains',
  parameters: { words: [word], operator: 'none' },
});
const redacted = (rule: string) => ({
  id: 'default.regexReplace',
  parameters: { rule, redactText: '[GONE]' },
});

const connect = () => {
  last = new WebSocket(`${world.app.url.replace('http', 'ws')}/v1/realtime?model=@${slug}/gpt-realtime`, {
    headers: { 'x-gateway-api-key': world.app.workspaceKey, 'x-gateway-trace-id': world.newTrace() },
  });
  return last;
};

type Event = Record<string, any>;

/** Both ends of a session, and all that each of them was told behind the greeting. */
async function session() {
  const opened = provider.session();
  const socket = connect();
  const greeting = once(socket, 'message');
  const [end] = await Promise.all([opened, once(socket, 'open')]);
  await greeting;
  const collect = (side: WebSocket) => {
    const events: Event[] = [];
    side.on('message', (data, isBinary) =>
      events.push(isBinary ? { binary: String(data) } : JSON.parse(String(data))),
    );
    return events;
  };
  const [atCaller, atProvider] = [collect(socket), collect(end.socket)];
  return {
    caller: socket,
    provider: end.socket,
    atCaller,
    atProvider,
    ask: (...events: object[]) => {
      for (const event of events) socket.send(JSON.stringify(event));
    },
    answer: (...events: object[]) => {
      for (const event of events) end.socket.send(JSON.stringify(event));
    },
  };
}

const item = (text: string, event_id = 'event_c') => ({
  type: 'conversation.item.create',
  event_id,
  item: { type: 'message', role: 'user', content: [{ type: 'input_text', text }] },
});
const textOf = (event: Event | undefined) => event?.item?.content[0].text;

describe('what the caller says', () => {
  test('is kept from the provider where it is refused, and the session goes on', async () => {
    await enforce([await guardrail([withoutWord('evil')])], []);
    const { ask, atCaller, atProvider } = await session();
    ask(item('an evil text', 'event_7'), item('a good text'));
    await eventually(async () => expect([atCaller.length, atProvider.length]).toEqual([1, 1]));
    expect(textOf(atProvider[0])).toBe('a good text');
    expect(atCaller[0]).toMatchObject({
      type: 'error',
      error: { type: 'hooks_failed', code: 'hooks_failed', event_id: 'event_7' },
      hook_results: { before_request_hooks: [{ verdict: false, deny: true }], after_request_hooks: [] },
    });
  });

  test.each([
    ['instructions', { type: 'session.update', session: { type: 'realtime', instructions: 'be evil' } }],
    ['tools', { type: 'session.update', session: { tools: [{ name: 'f', description: 'be evil' }] } }],
    ['an answer’s own', { type: 'response.create', response: { instructions: 'be evil', input: [] } }],
    [
      'output of a tool',
      { type: 'conversation.item.create', item: { type: 'function_call_output', output: 'evil' } },
    ],
    ['a transcript', { ...item(''), item: { content: [{ type: 'input_audio', transcript: 'evil' }] } }],
    ['hidden', item(Buffer.from('a rather evil text').toString('base64'))],
  ])('in %s too', async (_where, event) => {
    await enforce([await guardrail([withoutWord('evil')], { deny: true, scope: 'all' })], []);
    const { ask, atCaller, atProvider } = await session();
    ask(event, { type: 'response.create' });
    await eventually(async () => expect(atProvider).toEqual([{ type: 'response.create' }]));
    expect(atCaller).toMatchObject([{ type: 'error' }]);
  });

  test('is read together until the model answers', async () => {
    await enforce([await guardrail([withoutWord('evilword')], { deny: true, scope: 'new' })], []);
    const { ask, answer, atCaller, atProvider } = await session();
    ask(item('evil'), item('word'));
    await eventually(async () => expect([atCaller.length, atProvider.length]).toEqual([1, 1]));
    answer({ type: 'response.created', response: { id: 'r' } });
    await eventually(async () => expect(atCaller).toHaveLength(2));
    ask(item('word'));
    await eventually(async () => expect(atProvider).toHaveLength(2));
  });

  test('reaches the provider as it was redacted', async () => {
    await enforce([await guardrail([redacted('e[vw]il')])], []);
    const { ask, atProvider } = await session();
    ask(item('an evil text'));
    await eventually(async () => expect(atProvider.map(textOf)).toEqual(['an [GONE] text']));
  });

  test('is no sound, and no message without words', async () => {
    await enforce([await guardrail([{ id: 'default.wordCount', parameters: { minWords: 2 } }])], []);
    const { ask, atCaller, atProvider } = await session();
    const sound = Buffer.from(Array.from({ length: 500 }, (_, at) => (at * 89) % 256)).toString('base64');
    ask({ type: 'input_audio_buffer.append', audio: sound }, { type: 'input_audio_buffer.commit' });
    await eventually(async () => expect(atProvider).toHaveLength(2));
    expect(atCaller).toEqual([]);
  });

  test('cannot be bytes that nobody can read', async () => {
    await enforce([await guardrail([withoutWord('evil')])], []);
    const { caller, atCaller, atProvider } = await session();
    caller.send(Buffer.from([0, 255, 1]));
    caller.send(Buffer.from(JSON.stringify(item('evil'))));
    caller.send(Buffer.from(JSON.stringify(item('fine'))));
    await eventually(async () => expect([atCaller.length, atProvider.length]).toEqual([2, 1]));
  });
});

/** An answer whose text comes in pieces, in the events of its kind. */
function* answerOf(pieces: readonly string[], kind = 'output_text', id = 'resp_1'): Generator<object> {
  const about = { response_id: id, item_id: `item_${id}`, output_index: 0, content_index: 0 };
  const text = pieces.join('');
  const member =
    kind === 'output_audio_transcript' ? 'transcript' : kind === 'output_text' ? 'text' : 'arguments';
  const whole =
    member === 'arguments'
      ? { id: about.item_id, type: 'function_call', name: 'f', arguments: text }
      : { id: about.item_id, type: 'message', role: 'assistant', content: [{ type: kind, [member]: text }] };
  yield { type: 'response.created', response: { id, object: 'realtime.response', status: 'in_progress' } };
  yield { type: 'response.output_item.added', ...about, item: { id: about.item_id, type: 'message' } };
  for (const delta of pieces) {
    yield { type: `response.${kind}.delta`, ...about, delta };
    if (member === 'transcript') yield { type: 'response.output_audio.delta', ...about, delta: 'AAAA' };
  }
  yield { type: `response.${kind}.done`, ...about, [member]: text };
  yield { type: 'response.output_item.done', ...about, item: whole };
  yield { type: 'conversation.item.done', item: whole };
  yield {
    type: 'response.done',
    response: {
      id,
      object: 'realtime.response',
      status: 'completed',
      output: [whole],
      usage: { total_tokens: 9 },
    },
  };
}
const spoken = (events: readonly Event[]) =>
  events
    .flatMap(({ type, delta }) => (/audio\.delta$/.test(type) || !/delta$/.test(type) ? [] : [delta]))
    .join('');

describe('what the model says', () => {
  const said = 'At first good words are said, and then the evilword of it all, and much more than that.';

  test.each(['output_text', 'output_audio_transcript', 'function_call_arguments'])(
    'by %s: of a refused answer no character of the match goes out, and the next one does',
    async (kind) => {
      await enforce([], [await guardrail([withoutWord('evilword')])]);
      const { answer, atCaller, atProvider } = await session();
      answer(...answerOf([...said], kind));
      await eventually(async () => expect(atCaller.at(-1)?.type).toBe('response.done'));
      expect(said).toMatch(new RegExp(`^${spoken(atCaller).slice(0, 30)}`));
      expect(JSON.stringify(atCaller.filter(({ type }) => type !== 'error'))).not.toMatch(/evil|much/);
      expect(said.slice(0, said.indexOf('evilword'))).toContain(spoken(atCaller));
      expect(atCaller.slice(-2)).toMatchObject([
        {
          type: 'error',
          error: { code: 'hooks_failed' },
          hook_results: { after_request_hooks: [{ deny: true }] },
        },
        {
          type: 'response.done',
          response: {
            ...{ id: 'resp_1', status: 'incomplete', output: [], usage: { total_tokens: 9 } },
            status_details: { reason: 'content_filter' },
          },
        },
      ]);
      await eventually(async () =>
        expect(atProvider).toMatchObject([{ type: 'response.cancel', response_id: 'resp_1' }]),
      );
      const before = atCaller.length;
      const next = [...answerOf(['All is ', 'well.'], kind, 'resp_2')];
      answer(...next);
      await eventually(async () => expect(atCaller.slice(before)).toEqual(next));
    },
  );

  test('is what it was redacted to wherever it is said again', async () => {
    await enforce([], [await guardrail([redacted('evil[a-z]{0,9}')], { deny: false })]);
    const { answer, atCaller } = await session();
    const good = said.replace('evilword', '[GONE]');
    answer(...answerOf(said.match(/.{1,5}/g) ?? []));
    await eventually(async () => expect(atCaller.at(-1)?.type).toBe('response.done'));
    expect(spoken(atCaller)).toBe(good);
    expect(JSON.stringify(atCaller)).not.toContain('evil');
    expect(atCaller.at(-1)?.response.output[0].content[0].text).toBe(good);
  });

  test('is held where the whole of it must be judged', async () => {
    await enforce([], [await guardrail([{ id: 'default.wordCount', parameters: { maxWords: 3 } }])]);
    const { answer, atCaller } = await session();
    answer(...answerOf(['one two ', 'three four']));
    await eventually(async () =>
      expect(atCaller.slice(2).map(({ type }) => type)).toEqual(['error', 'response.done']),
    );
    const next = [...answerOf(['one two ', 'three'], 'output_text', 'resp_2')];
    answer(...next);
    await eventually(async () => expect(atCaller.slice(4)).toEqual(next));
  });

  test('also of what the caller said, when it was heard', async () => {
    await enforce([], [await guardrail([withoutWord('evilword')])]);
    const { answer, atCaller } = await session();
    const name = 'conversation.item.input_audio_transcription';
    const piece = (delta: string) => ({ type: `${name}.delta`, item_id: 'i', content_index: 0, delta });
    answer(piece('an evil'), piece('word'), {
      type: `${name}.completed`,
      item_id: 'i',
      transcript: 'an evilword',
    });
    answer({ type: 'rate_limits.updated', rate_limits: [] });
    await eventually(async () => expect(atCaller.at(-1)?.type).toBe('rate_limits.updated'));
    expect(JSON.stringify(atCaller.filter(({ type }) => type !== 'error'))).not.toContain('word');
  });

  test('comes to an end with the provider, judged to its last word', async () => {
    await enforce([], [await guardrail([withoutWord('evilword')])]);
    const { answer, atCaller, caller, provider: end } = await session();
    const closed = once(caller, 'close');
    answer(...[...answerOf([...'some good words'])].slice(0, -4));
    end.close(1000);
    await closed;
    expect(spoken(atCaller)).toBe('some good words');
  });
});

describe('a session', () => {
  test('is not opened where a check of the call itself refuses it', async () => {
    await enforce(
      [await guardrail([{ id: 'default.modelWhitelist', parameters: { models: ['other'] } }])],
      [],
    );
    const before = provider.opened();
    const socket = connect();
    const [, response] = await once(socket, 'unexpected-response');
    expect([response.statusCode, provider.opened()]).toEqual([446, before]);
  });

  test('comes under what is enforced while it is open, and ends with what cannot be run', async () => {
    const { ask, atCaller, atProvider, caller } = await session();
    ask(item('an evil text'));
    await eventually(async () => expect(atProvider).toHaveLength(1));
    const id = await guardrail([withoutWord('evil')]);
    await enforce([id], []);
    await eventually(async () => {
      ask(item('an evil text'));
      expect(atCaller).not.toEqual([]);
    });
    const closed = once(caller, 'close');
    await world.app.db.collection<{ _id: string }>('guardrails').deleteOne({ _id: id });
    await rest('PUT', '/workspace-exclusions/input-guardrails', {
      workspaces: [{ workspace_id: world.app.workspaceId, excluded: false }],
    });
    expect((await closed)[0]).toBe(1008);
  });

  test('tells its log what guardrails came to, those that only look as well', async () => {
    const observing = await guardrail([withoutWord('evil')], { deny: false });
    const late = await guardrail([withoutWord('evil')], { async: true });
    await enforce([observing, late], [observing, late]);
    const { ask, answer, atCaller, atProvider, caller } = await session();
    const events = [...answerOf(['an evil answer'])];
    ask(item('an evil text'), item('a good text'));
    answer(...events);
    await eventually(async () => expect([atProvider.length, atCaller.length]).toEqual([2, events.length]));
    expect(atCaller).toEqual(events);
    caller.close(1000);
    const log = await until(async () =>
      world.app.db.collection('logs').findOne({ endpoint: 'realtime', guardrails: { $regex: late } }),
    );
    const { ran } = JSON.parse(log.guardrails);
    expect(ran.map(({ id, phase, verdict }: Event) => [id, phase, verdict])).toEqual([
      [observing, 'input', false],
      [observing, 'output', false],
      [late, 'input', false],
      [late, 'output', false],
    ]);
    expect(JSON.stringify(log)).not.toContain('evil answer');
  });

  test('without guardrails passes what it is given, byte for byte', async () => {
    const { caller, provider: end } = await session();
    const told = once(end, 'message');
    caller.send('{ "a":1 , "b": "no event"}');
    expect(String((await told)[0])).toBe('{ "a":1 , "b": "no event"}');
  });
});
