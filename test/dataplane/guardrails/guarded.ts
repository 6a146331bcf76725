import { messages } from '../../support/world.ts';

/** Fails where the word stands in a text. */
export const without = (word: string, more: object = {}) => ({
  checks: [{ id: 'default.contains', parameters: { words: [word], operator: 'none' } }],
  deny: true,
  ...more,
});

/** Fails on every text of more than one word. */
export const tooLong = (more: object = {}) => ({
  'default.wordCount': { minWords: 0, maxWords: 1 },
  ...more,
});

/** Replaces the word. */
export const redacting = (rule: string, more: object = {}) => ({
  checks: [{ id: 'default.regexReplace', parameters: { rule, redactText: '[GONE]' } }],
  ...more,
});

export const saying = (content: unknown) => ({
  model: 'gpt-test',
  messages: [...messages, { role: 'user', content }],
});
