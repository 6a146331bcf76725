/** Where a call goes: by a model alone, or by a config, which may choose another one. */
export type Target = { key: number; model: string; config: string };

export type Draft = {
  system: string;
  prompt: string;
  temperature: string;
  maxTokens: string;
  /** JSON of a whole request, in place of the fields above; empty for them. */
  request: string;
  targets: readonly Target[];
};

let targets = 0;
export const blankTarget = (model: string): Target => ({ key: targets++, model, config: '' });

export const blankDraft: Draft = {
  system: '',
  prompt: '',
  temperature: '',
  maxTokens: '',
  request: '',
  targets: [blankTarget('@mock/mock-1')],
};

/** Models and configs beside each other at most. */
export const MOST_TARGETS = 4;

export const starters = [
  'Explain in two sentences what an AI gateway does.',
  'Write a haiku about water that waits behind a gate.',
  'List three questions to ask before a model goes into production.',
];

const number = (text: string): number | undefined => {
  const value = Number(text);
  return text.trim() === '' || Number.isNaN(value) ? undefined : value;
};

/** The body of the call to a target. A request that is written whole goes as it is. Throws SyntaxError where it is no JSON. */
export function bodyFor(
  { system, prompt, temperature, maxTokens, request }: Draft,
  { model }: Target,
): unknown {
  if (request !== '') return JSON.parse(request);
  return {
    model,
    messages: [
      ...(system.trim() === '' ? [] : [{ role: 'system', content: system }]),
      { role: 'user', content: prompt },
    ],
    temperature: number(temperature),
    max_tokens: number(maxTokens),
    stream: true,
    stream_options: { include_usage: true },
  };
}

const KEPT = 'sluice.playground';

/** The draft of the last visit, which this browser keeps; it holds texts and names alone. */
export function keptDraft(): Draft {
  try {
    const kept = JSON.parse(localStorage.getItem(KEPT) ?? '{}') as Partial<Draft>;
    const own = (kept.targets ?? []).map(({ model, config }) => ({ ...blankTarget(model), config }));
    return { ...blankDraft, ...kept, request: '', targets: own.length > 0 ? own : blankDraft.targets };
  } catch {
    // What is no draft, or cannot be read, leaves the fields empty.
    return blankDraft;
  }
}

export function keepDraft({ request: _, ...draft }: Draft): void {
  try {
    localStorage.setItem(KEPT, JSON.stringify(draft));
  } catch {
    // It then holds for no longer than this page.
  }
}
