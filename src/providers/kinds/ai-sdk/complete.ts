import { isObject } from '../../../lib/json.ts';
import { chat, type View } from './chat.ts';
import { dialectOf, type SdkProvider } from './dialect.ts';
import { type Fields, isText, RequestProblem } from './fields.ts';

/** Text completion by a model that only chats: the prompt is what the user says. */
export const completeDialect = (vendor: SdkProvider) =>
  dialectOf(vendor, (call) => {
    const { prompt, suffix, echo, ...rest } = call.body;
    if (isText(suffix) && suffix !== '')
      throw new RequestProblem('This provider cannot fill in before a suffix: leave it out.', 'suffix');
    if (echo === true)
      throw new RequestProblem('This provider does not repeat the prompt: leave echo out.', 'echo');
    const body = { ...rest, messages: [{ role: 'user', content: promptOf(prompt) }] };
    return chat(vendor, call, body, view);
  });

function promptOf(prompt: unknown): string {
  const text = Array.isArray(prompt) && prompt.length === 1 ? prompt[0] : prompt;
  if (!isText(text) || text === '')
    throw new RequestProblem('prompt must be one text: this provider takes no others.', 'prompt');
  return text;
}

const view: View = {
  whole: ({ choices, ...completion }) => ({
    ...completion,
    object: 'text_completion',
    choices: choicesOf(choices).map((choice) => textChoice(choice, choice.message)),
  }),
  chunk({ choices, ...chunk }) {
    const list = choicesOf(choices);
    const says =
      list.length === 0 || list.some(({ delta, finish_reason: end }) => end !== null || textOf(delta) !== '');
    if (!says) return null;
    return {
      ...chunk,
      object: 'text_completion',
      choices: list.map((choice) => textChoice(choice, choice.delta)),
    };
  },
};

const choicesOf = (choices: unknown): Fields[] => (Array.isArray(choices) ? choices.filter(isObject) : []);

const textOf = (message: unknown): string =>
  isObject(message) && isText(message.content) ? message.content : '';

const textChoice = ({ index, finish_reason: end }: Fields, message: unknown): Fields => ({
  text: textOf(message),
  index,
  logprobs: null,
  finish_reason: end,
});
