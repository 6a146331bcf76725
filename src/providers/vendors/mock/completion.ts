import { BadRequest } from './bad-request.ts';
import { CREATED, idOf, usageOf, wantsUsage, wordsOf } from './content.ts';

type Body = Record<string, unknown>;

/** A text completion that echoes its prompt. */
export function completion(body: Body) {
  const prompts = promptsOf(body);
  return {
    ...headOf(body),
    choices: prompts.map((text, index) => ({ text, index, logprobs: null, finish_reason: 'stop' })),
    usage: usageOf(prompts.join(' '), prompts.join(' ')),
  };
}

export function completionFrames(body: Body): unknown[] {
  const head = headOf(body);
  const prompts = promptsOf(body);
  const withUsage = wantsUsage(body);
  const choice = (text: string, index: number, finish: string | null) => ({
    ...head,
    choices: [{ text, index, logprobs: null, finish_reason: finish }],
    ...(withUsage && { usage: null }),
  });
  return [
    ...prompts.flatMap((prompt, index) => [
      ...wordsOf(prompt).map((word) => choice(word, index, null)),
      choice('', index, 'stop'),
    ]),
    ...(withUsage ? [{ ...head, choices: [], usage: usageOf(prompts.join(' '), prompts.join(' ')) }] : []),
  ];
}

const headOf = (body: Body) => ({
  id: idOf('cmpl', body),
  object: 'text_completion',
  created: CREATED,
  model: body.model,
});

function promptsOf({ prompt }: Body): string[] {
  const prompts = Array.isArray(prompt) ? prompt : [prompt];
  if (!prompts.every((text) => typeof text === 'string'))
    throw new BadRequest('prompt', 'must be a string or an array of strings.');
  return prompts;
}
