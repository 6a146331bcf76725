/** Frames of a chat stream out of deltas, as OpenAI sends them: the usage comes after the reason to finish. */
export function chatStream(
  deltas: object[],
  finish: string | null = 'stop',
  usage: object | null = null,
): string[] {
  return [
    ...chatChunks(deltas, finish, usage).map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`),
    'data: [DONE]\n\n',
  ];
}

export function chatChunks(
  deltas: object[],
  finish: string | null = 'stop',
  usage: object | null = null,
): object[] {
  const head = {
    id: 'chatcmpl-7',
    object: 'chat.completion.chunk',
    created: 1_700_000_000,
    model: 'gpt-test',
  };
  const chunk = (delta: object, finish_reason: string | null = null) => ({
    ...head,
    choices: [{ index: 0, delta, finish_reason }],
  });
  return [
    ...deltas.map((delta) => chunk(delta)),
    ...(finish === null ? [] : [chunk({}, finish)]),
    ...(usage === null ? [] : [{ ...head, choices: [], usage }]),
  ];
}

/** A chat completion with the given message. */
export const chatWith = (message: object, finish_reason = 'stop', more: object = {}) => ({
  id: 'chatcmpl-7',
  object: 'chat.completion',
  created: 1_700_000_000,
  model: 'gpt-test',
  choices: [{ index: 0, message: { role: 'assistant', content: null, ...message }, finish_reason }],
  usage: cachedUsage,
  ...more,
});

export const cachedUsage = {
  prompt_tokens: 100,
  completion_tokens: 20,
  total_tokens: 120,
  prompt_tokens_details: { cached_tokens: 60 },
  completion_tokens_details: { reasoning_tokens: 5 },
};

export const weatherCall = {
  id: 'call_1',
  type: 'function',
  function: { name: 'weather', arguments: '{"city":"Bern"}' },
};
