/** A guardrail, a text that it looks at, and what it is to come to. */
export type Fixture = {
  what: string;
  phase: 'input' | 'output';
  text: string;
  checks: { id: string; parameters: object }[];
  actions: { deny?: boolean; sequential?: boolean };
  expected: { denied: boolean; verdict: boolean };
};

const refuses = { deny: true };
const warns = { deny: false };
const passed = { denied: false, verdict: true };
const refused = { denied: true, verdict: false };
const warned = { denied: false, verdict: false };

const none = (...words: string[]) => ({ id: 'default.contains', parameters: { words, operator: 'none' } });
const check = (id: string, parameters: object) => ({ id, parameters });

type Row = [string, Fixture['phase'], string, Fixture['checks'], Fixture['actions'], Fixture['expected']];

const rows: Row[] = [
  ['a word that is not there', 'input', 'what is a sluice', [none('hunter2')], refuses, passed],
  ['a word that is', 'input', 'my hunter2 is secret', [none('hunter2')], refuses, refused],
  ['a word in another spelling', 'input', 'my ｈｕｎｔｅｒ２ is secret', [none('hunter2')], refuses, refused],
  ['a word, with a warning', 'input', 'my hunter2 is secret', [none('hunter2')], warns, warned],
  ['a word that was answered', 'output', 'It is hunter2, of course.', [none('hunter2')], refuses, refused],
  ['a warning of an answer', 'output', 'It is hunter2, of course.', [none('hunter2')], warns, warned],
  ['an answer that is fine', 'output', 'The gate is open.', [none('hunter2')], refuses, passed],
  ['too many words', 'input', 'a b c d', [check('default.wordCount', { maxWords: 3 })], refuses, refused],
  ['words enough', 'output', 'a b c', [check('default.wordCount', { maxWords: 3 })], refuses, passed],
  [
    'too many characters',
    'output',
    'a b c',
    [check('default.characterCount', { maxCharacters: 4 })],
    refuses,
    refused,
  ],
  ['a sentence', 'input', 'One. Two.', [check('default.sentenceCount', { maxSentences: 1 })], warns, warned],
  ['a pattern', 'input', 'order 4711', [check('default.regexMatch', { rule: '\\d{4}' })], refuses, passed],
  [
    'a pattern turned round',
    'input',
    'order 4711',
    [check('default.regexMatch', { rule: '\\d{4}', not: true })],
    refuses,
    refused,
  ],
  [
    'a replacement',
    'input',
    'my secret word',
    [check('default.regexReplace', { rule: 'secret', redactText: '***' })],
    refuses,
    passed,
  ],
  [
    'a replacement in an answer',
    'output',
    'my secret word',
    [check('default.regexReplace', { rule: 'secret', redactText: '***' })],
    refuses,
    passed,
  ],
  [
    'an address of a person',
    'input',
    'Write to ada@example.com today',
    [check('gateway.pii', { categories: ['EMAIL_ADDRESS'], redact: true })],
    refuses,
    passed,
  ],
  [
    'an address that refuses',
    'output',
    'Write to ada@example.com today',
    [check('gateway.pii', { categories: ['EMAIL_ADDRESS'] })],
    refuses,
    refused,
  ],
  [
    'two checks, of which one fails',
    'input',
    'hunter2',
    [check('default.wordCount', { maxWords: 3 }), none('hunter2')],
    warns,
    warned,
  ],
  [
    'one check on what another has left',
    'input',
    'my secret',
    [check('default.regexReplace', { rule: 'secret', redactText: 'word' }), none('secret')],
    { deny: true, sequential: true },
    passed,
  ],
  ['letters in lower case', 'output', 'all of it', [check('default.alllowercase', {})], refuses, passed],
  [
    'a key of a program',
    'input',
    `AKIA${'IOSFODNN7EXAMPL'}X is mine`,
    [check('gateway.secrets', {})],
    refuses,
    refused,
  ],
];

export const benchFixtures: Fixture[] = rows.map(([what, phase, text, checks, actions, expected]) => ({
  what,
  phase,
  text,
  checks,
  actions,
  expected,
}));
