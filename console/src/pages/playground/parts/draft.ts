/** Where a call goes: by a model alone, or by a config, which may choose another one. */
export type Target = { key: number; model: string; config: string };

export type Draft = {
  system: string;
  prompt: string;
  temperature: string;
  maxTokens: string;
  /** JSON of a list; empty for none. */
  tools: string;
  /** A JSON Schema; empty for none. */
  schema: string;
  /** As data URLs. */
  images: readonly { name: string; url: string }[];
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
  tools: '',
  schema: '',
  images: [],
  request: '',
  targets: [blankTarget('@mock/mock-1')],
};

/** Models and configs beside each other at most. */
export const MOST_TARGETS = 4;
export const MOST_IMAGES = 4;

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
export function bodyFor(draft: Draft, { model }: Target): unknown {
  const { system, temperature, maxTokens, tools, schema, request } = draft;
  if (request !== '') return JSON.parse(request);
  return {
    model,
    messages: [
      ...(system.trim() === '' ? [] : [{ role: 'system', content: system }]),
      { role: 'user', content: contentOf(draft) },
    ],
    temperature: number(temperature),
    max_tokens: number(maxTokens),
    ...(tools.trim() !== '' && { tools: JSON.parse(tools), tool_choice: 'auto' }),
    ...(schema.trim() !== '' && {
      response_format: { type: 'json_schema', json_schema: { name: 'answer', schema: JSON.parse(schema) } },
    }),
    stream: true,
    stream_options: { include_usage: true },
  };
}

const contentOf = ({ prompt, images }: Draft): unknown =>
  images.length === 0
    ? prompt
    : [
        { type: 'text', text: prompt },
        ...images.map(({ url }) => ({ type: 'image_url', image_url: { url } })),
      ];

/** What keeps a draft from being sent; null where nothing does. */
export function missingIn({ prompt, tools, schema, request }: Draft): string | null {
  if (request !== '') return notJson('request', request);
  if (prompt.trim() === '') return 'Write a prompt.';
  return notJson('list of tools', tools, Array.isArray) ?? notJson('schema', schema, isObject);
}

const isObject = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function notJson(
  what: string,
  text: string,
  isMeant: (value: unknown) => boolean = () => true,
): string | null {
  if (text.trim() === '' && what !== 'request') return null;
  try {
    return isMeant(JSON.parse(text)) ? null : `The ${what} is none.`;
  } catch (error) {
    return `The ${what} is no JSON: ${(error as Error).message}`;
  }
}

const KEPT = 'sluice.playground';

/** The draft of the last visit, which this browser keeps; it holds texts and names alone. */
export function keptDraft(): Draft {
  try {
    const kept = JSON.parse(localStorage.getItem(KEPT) ?? '{}') as Partial<Draft>;
    const own = (kept.targets ?? []).map(({ model, config }) => ({ ...blankTarget(model), config }));
    return {
      ...blankDraft,
      ...kept,
      request: '',
      images: [],
      targets: own.length > 0 ? own : blankDraft.targets,
    };
  } catch {
    // What is no draft, or cannot be read, leaves the fields empty.
    return blankDraft;
  }
}

export function keepDraft({ request: _, images: __, ...draft }: Draft): void {
  try {
    localStorage.setItem(KEPT, JSON.stringify(draft));
  } catch {
    // It then holds for no longer than this page.
  }
}
