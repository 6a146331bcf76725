import { textOf } from './content.ts';

/** What the first word of the last user message tells the mock provider to do. */
export type Script =
  | { kind: 'tools'; isAll: boolean }
  | { kind: 'long'; words: number }
  | { kind: 'ask'; tool: 'file_search' | 'code_interpreter'; text: string }
  | { kind: 'refuse' }
  | { kind: 'fail'; status: number };

const MAX_WORDS = 100_000;

const asked = { search: 'file_search', python: 'code_interpreter' } as const;

/**
 * Reads `/tool` and `/tools` (call the first tool, or each), `/search words` and `/python code` (call the tool of an assistant that
 * searches files, or runs code), `/long 500` (say so many words, as far as the budget goes), `/refuse` and `/fail 503`, so that
 * users can test how their programs behave; null for a message that is only echoed.
 */
export function scriptOf(messages: readonly { role?: unknown; content?: unknown }[]): Script | null {
  const text = textOf(messages.findLast((message) => message?.role === 'user')?.content);
  const [, tool, given = ''] = /^\/(search|python)\s+(\S[\s\S]*)$/.exec(text) ?? [];
  if (tool) return { kind: 'ask', tool: asked[tool as keyof typeof asked], text: given };
  const [, word, number] = /^\/(tool|tools|long|refuse|fail)(?:\s+(\d{1,6}))?(?:\s|$)/.exec(text) ?? [];
  const amount = Number(number ?? 0);
  if (word === 'tool' || word === 'tools') return { kind: 'tools', isAll: word === 'tools' };
  if (word === 'refuse') return { kind: 'refuse' };
  if (word === 'long') return { kind: 'long', words: Math.min(amount, MAX_WORDS) };
  return word === 'fail' && amount >= 400 && amount <= 599 ? { kind: 'fail', status: amount } : null;
}
