import { describe, expect, it, test } from '@jest/globals';
import { problemsOf, run } from '../checked.ts';

const CODE = 'default.containsCode';
const NOT_NULL = 'default.notNull';

const block = (tag: string) => `Look:\n\`\`\`${tag}\nx\n\`\`\`\n`;

describe(CODE, () => {
  test.each<[string, object, string, boolean]>([
    ['its name', { format: 'SQL' }, block('sql'), true],
    ['its name in capitals', { format: 'SQL' }, block('SQL'), true],
    ['a short name', { format: 'Python' }, block('py'), true],
    ['a name with signs', { format: 'C++' }, block('c++'), true],
    ['words after the name', { format: 'Go' }, block('go title="main.go"'), true],
    ['tildes', { format: 'YAML' }, '~~~yml\na: 1\n~~~', true],
    ['a block that is never closed', { format: 'YAML' }, '```yaml\na: 1', true],
    ['the second block', { format: 'Rust' }, block('sh') + block('rs'), true],
    ['another language', { format: 'Java' }, block('javascript'), false],
    ['a tag within a block', { format: 'Ruby' }, '````md\n```ruby\n```\n````', false],
    ['no block', { format: 'SQL' }, 'SELECT 1', false],
    ['no block, turned round', { format: 'SQL', not: true }, 'SELECT 1', true],
    ['a block, turned round', { format: 'SQL', not: true }, block('sql'), false],
  ])('%s', async (_what, parameters, text, verdict) => {
    expect((await run(CODE, parameters, { text })).verdict).toBe(verdict);
  });

  test.each([[{}], [{ format: 'sql' }], [{ format: 'Cobol' }]])('refuses %j', (parameters) => {
    expect(problemsOf(CODE, parameters)).toEqual([expect.stringMatching(/^format: .*"SQL"/)]);
  });
});

describe(NOT_NULL, () => {
  const answered = (body: unknown) => ({ call: { response: { status: 200, body } } });
  const calling = [{ message: { tool_calls: [{ id: 'c1' }] } }];

  test.each<[string, object, object, boolean]>([
    ['text', {}, { text: 'a' }, true],
    ['white space', {}, { text: ' \n' }, false],
    ['nothing', {}, {}, false],
    ['nothing, turned round', { not: true }, {}, true],
    ['text, turned round', { not: true }, { text: 'a' }, false],
    ['tool calls', {}, answered({ choices: calling }), true],
    ['tool calls, turned round', { not: true }, answered({ choices: calling }), true],
    ['no tool calls', {}, answered({ choices: [{ message: { tool_calls: [] } }] }), false],
    ['tools of messages', {}, answered({ content: [{ type: 'tool_use' }] }), true],
    ['tools of responses', {}, answered({ output: [{ type: 'function_call' }] }), true],
    ['a broken answer', {}, answered('x'), false],
  ])('%s', async (_what, parameters, given, verdict) => {
    expect((await run(NOT_NULL, parameters, given)).verdict).toBe(verdict);
  });

  it('does not take reasoning for an answer', async () => {
    const reasoning = { path: ['r'], role: 'assistant', kind: 'reasoning', text: 'hm' } as const;
    expect((await run(NOT_NULL, {}, { segments: [reasoning] })).verdict).toBe(false);
    const call = { path: ['a'], role: 'assistant', kind: 'tool_arguments', text: '{}' } as const;
    expect((await run(NOT_NULL, {}, { segments: [call] })).verdict).toBe(true);
  });

  it('refuses parameters that it does not know', () => {
    expect(problemsOf(NOT_NULL, { min: 1 })).toEqual([expect.stringMatching(/min/)]);
  });
});
