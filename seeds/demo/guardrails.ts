import type { Ask } from './graph.ts';

export const guardrails = [
  {
    slug: 'no-passwords',
    name: 'No passwords',
    workspaceId: 'search',
    checks: [{ id: 'default.contains', parameters: { words: ['password', 'passwd'], operator: 'none' } }],
    actions: { deny: true },
  },
  {
    slug: 'personal-data',
    name: 'Personal data is hidden',
    workspaceId: 'support',
    checks: [{ id: 'gateway.pii', parameters: { categories: ['EMAIL_ADDRESS'], redact: true } }],
    actions: { deny: false },
  },
  {
    slug: 'short-answers',
    name: 'Answers stay short',
    workspaceId: 'support',
    checks: [{ id: 'default.wordCount', parameters: { maxWords: 400 } }],
    actions: { async: true },
  },
];

/** Makes the guardrails that are not there yet; nothing enforces them. */
export async function seedGuardrails(ask: Ask): Promise<void> {
  const found = await ask<{ guardrails: { data: { slug: string }[] } }>(
    '{ guardrails(pageSize: 1000) { data { slug } } }',
  );
  const known = new Set(found.guardrails.data.map(({ slug }) => slug));
  for (const input of guardrails.filter(({ slug }) => !known.has(slug)))
    await ask('mutation ($input: CreateGuardrailInput!) { createGuardrail(input: $input) { id } }', {
      input,
    });
}
