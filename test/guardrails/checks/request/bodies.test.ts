import { describe, expect, it, test } from '@jest/globals';
import type { Segment } from '../../../../src/guardrails/check.ts';
import { edited, problemsOf, run } from '../checked.ts';

const PARAMETERS = 'default.requestParametersCheck';
const PREFIX = 'default.addPrefix';

const tool = (name: string) => ({ type: 'function', function: { name } });

describe(PARAMETERS, () => {
  const violations = async (parameters: object, request: Record<string, unknown> | null) => {
    const { verdict, data } = await run(PARAMETERS, parameters, { call: { request } });
    const found = (data as { violations: { reason: string; of: string }[] }).violations;
    expect(verdict).toBe(found.length === 0);
    return found.map(({ reason, of }) => `${reason} ${of}`);
  };

  test.each<[string, object, Record<string, unknown> | null, string[]]>([
    ['nothing asked', {}, { model: 'm' }, []],
    ['no body', { params: { allowedKeys: [] } }, null, []],
    ['a type', { tools: { blockedTypes: ['function'] } }, { tools: [tool('a')] }, ['type_blocked function']],
    [
      'a type that is not listed',
      { tools: { allowedTypes: ['function'] } },
      { tools: [tool('a'), { type: 'web_search' }] },
      ['type_not_allowed web_search'],
    ],
    [
      'names',
      { tools: { blockedFunctionNames: ['a'], allowedFunctionNames: ['b'] } },
      { tools: [tool('a'), tool('b'), tool('c')] },
      ['name_blocked a', 'name_not_allowed c'],
    ],
    [
      'older functions',
      { tools: { allowedFunctionNames: ['b'] } },
      { functions: [{ name: 'a' }] },
      ['name_not_allowed a'],
    ],
    [
      'tools of messages and responses',
      { tools: { blockedFunctionNames: ['a', 'b'] } },
      {
        tools: [
          { name: 'a', input_schema: {} },
          { type: 'function', name: 'b' },
        ],
      },
      ['name_blocked a', 'name_blocked b'],
    ],
    [
      'tools of Gemini and Bedrock',
      { tools: { allowedTypes: ['function'], blockedFunctionNames: ['a', 'b'] } },
      {
        tools: [{ functionDeclarations: [{ name: 'a' }] }, { toolSpec: { name: 'b' } }, { googleSearch: {} }],
      },
      ['type_not_allowed googleSearch', 'name_blocked a', 'name_blocked b'],
    ],
    [
      'keys',
      { params: { allowedKeys: ['model', 'n'], blockedKeys: ['n'] } },
      { model: 'm', n: 2, seed: 1 },
      ['key_blocked n', 'key_not_allowed seed'],
    ],
    [
      'values',
      { params: { values: { n: { allowedValues: [1] }, stop: { blockedValues: [['a']] }, x: {} } } },
      { n: 2, stop: ['a'] },
      ['value_not_allowed n', 'value_blocked stop'],
    ],
    ['values that are absent', { params: { values: { n: { allowedValues: [1] } } } }, {}, []],
    ['values that are allowed', { params: { values: { n: { allowedValues: [1] } } } }, { n: 1 }, []],
  ])('%s', async (_what, parameters, request, expected) => {
    expect(await violations(parameters, request)).toEqual(expected);
  });

  it('has a second name', async () => {
    expect((await run('default.requestParams', {}, {})).verdict).toBe(true);
  });

  test.each<[object, RegExp]>([
    [{ tools: { allowedTypes: 'function' } }, /^tools\.allowedTypes: /],
    [{ tools: { allowed: [] } }, /^tools: .*allowed/],
    [{ params: { values: { n: [1] } } }, /^params\.values\.n: /],
    [{ params: { values: { n: { allowedValues: 1 } } } }, /^params\.values\.n\.allowedValues: /],
  ])('refuses %j', (parameters, problem) => {
    expect(problemsOf(PARAMETERS, parameters)).toEqual([expect.stringMatching(problem)]);
  });
});

describe(PREFIX, () => {
  const messages = [
    { role: 'system', content: 'S' },
    { role: 'user', content: 'one' },
    { role: 'assistant', content: 'A' },
    { role: 'user', content: 'two' },
  ];
  const segments: Segment[] = messages.map(({ role, content }, index) => ({
    path: ['messages', index, 'content'],
    role,
    kind: role === 'system' ? 'system' : 'text',
    text: content,
  }));
  const given = { segments, call: { request: { messages } }, phase: 'input' as const };

  test.each<[string, object, string[]]>([
    ['the last message of the user', {}, ['S', 'one', 'A', '> two']],
    ['the system', { applyToRole: 'system' }, ['> S', 'one', 'A', 'two']],
    ['the assistant', { applyToRole: 'assistant' }, ['S', 'one', '> A', 'two']],
    ['nobody who has said something', { onlyIfEmpty: true }, ['S', 'one', 'A', 'two']],
  ])('goes before %s', async (_what, parameters, texts) => {
    const finding = await run(PREFIX, { prefix: '> ', ...parameters }, given);
    expect([finding.verdict, finding.body, edited(given, finding)]).toEqual([true, undefined, texts]);
  });

  it('goes before the first part of a message', async () => {
    const parts: Segment[] = ['a', 'b'].map((text, index) => ({
      path: ['messages', 0, 'content', index, 'text'],
      role: 'user',
      kind: 'text',
      text,
    }));
    const finding = await run(PREFIX, { prefix: '> ' }, { segments: parts });
    expect(edited({ segments: parts }, finding)).toEqual(['> a', 'b']);
  });

  it('goes before a prompt, which has no role', async () => {
    const prompt: Segment[] = [{ path: ['prompt'], role: null, kind: 'text', text: 'p' }];
    expect(edited({ segments: prompt }, await run(PREFIX, { prefix: '> ' }, { segments: prompt }))).toEqual([
      '> p',
    ]);
  });

  const user = { role: 'user', content: 'one' };
  test.each<[string, object, object, object]>([
    [
      'a message of its own',
      { addToExisting: false },
      { messages },
      { messages: messages.toSpliced(3, 0, { role: 'user', content: '> ' }) },
    ],
    [
      'a first message of the system',
      { applyToRole: 'system' },
      { messages: [user] },
      { messages: [{ role: 'system', content: '> ' }, user] },
    ],
    [
      'a last message of the assistant',
      { applyToRole: 'assistant' },
      { messages: [user] },
      { messages: [user, { role: 'assistant', content: '> ' }] },
    ],
    ['instructions', { applyToRole: 'system' }, { input: 'x' }, { input: 'x', instructions: '> ' }],
    [
      'further instructions',
      { applyToRole: 'system' },
      { input: 'x', instructions: 'i' },
      { input: 'x', instructions: '> \n\ni' },
    ],
  ])('becomes %s', async (_what, parameters, request, body) => {
    const finding = await run(
      PREFIX,
      { prefix: '> ', ...parameters },
      { call: { request: request as Record<string, unknown> } },
    );
    expect(finding).toEqual({ verdict: true, data: { applied: true }, body });
  });

  it('becomes the system of messages', async () => {
    const request = { messages: [user] };
    const parameters = { prefix: '> ', applyToRole: 'system' };
    const call = { requestType: 'messages', request };
    const text = { type: 'text', text: 's' };
    expect((await run(PREFIX, parameters, { call })).body).toEqual({ ...request, system: '> ' });
    const withBlocks = { ...call, request: { ...request, system: [text] } };
    expect((await run(PREFIX, parameters, { call: withBlocks })).body).toEqual({
      ...request,
      system: [{ type: 'text', text: '> ' }, text],
    });
  });

  it('changes nothing that has no place for it', async () => {
    const finding = await run(PREFIX, { prefix: '> ' }, { call: { request: { query: 'q' } } });
    expect(finding).toEqual({ verdict: true, data: { applied: false } });
  });

  test.each<[object, RegExp]>([
    [{}, /^prefix: /],
    [{ prefix: '' }, /^prefix: /],
    [{ prefix: 'a', applyToRole: 'tool' }, /^applyToRole: /],
  ])('refuses %j', (parameters, problem) => {
    expect(problemsOf(PREFIX, parameters)).toEqual([expect.stringMatching(problem)]);
  });
});
