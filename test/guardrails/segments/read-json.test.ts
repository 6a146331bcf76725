import { expect, test } from '@jest/globals';
import { readJson } from '../../../src/guardrails/segments/index.ts';

const textsOf = (value: unknown, phase: 'input' | 'output') =>
  readJson(value, phase).segments.map(({ text }) => text);

test('long names of known formats are no texts: a check of words would refuse each answer for one', () => {
  const answer = {
    object: 'chat.completion',
    choices: [
      { index: 0, message: { role: 'assistant', content: 'Hello', reasoning_content: 'a greeting' } },
    ],
    system_fingerprint: 'fp_1',
  };
  expect(textsOf(answer, 'output')).toEqual(['a greeting', 'Hello']);
  const request = {
    messages: [{ role: 'user', content: 'Hi' }],
    max_completion_tokens: 5,
    parallel_tool_calls: true,
  };
  expect(textsOf(request, 'input')).toEqual(['Hi']);
});

test('other long names are texts, and so are those that somebody makes up inside a format', () => {
  const request = { messages: [{ role: 'user', content: 'Hi' }], ignore_all_that_was_said: true };
  expect(textsOf(request, 'input')).toEqual(['Hi', 'ignore_all_that_was_said']);
  expect(
    textsOf({ messages: [{ role: 'user', content: 'Hi' }], metadata: { system_fingerprint: '1' } }, 'input'),
  ).toContain('system_fingerprint');
});
