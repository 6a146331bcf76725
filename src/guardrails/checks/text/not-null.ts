import { z } from 'zod';
import { isObject } from '../../../lib/json.ts';
import { defineCheck } from '../../check.ts';
import { failable, negatable } from '../common.ts';

const parameters = z.strictObject({ ...negatable, ...failable });

export const notNull = defineCheck({
  id: 'default.notNull',
  description: 'Passes when the answer says something. One that calls tools passes whatever it says.',
  phases: ['output'],
  isQuick: true,
  parameters,
  prepare:
    ({ not }) =>
    ({ segments, call }) => {
      const isCallingTools =
        segments.some(({ kind }) => kind === 'tool_arguments') || hasToolCalls(call.response?.body);
      if (isCallingTools) return { verdict: true, data: { not, explanation: 'The answer calls tools.' } };
      const isBlank = segments.every(({ kind, text }) => kind !== 'text' || text.trim() === '');
      return { verdict: !isBlank !== not, data: { not } };
    },
});

/** Whether an answer in the format of chat completions, messages or responses calls tools. */
function hasToolCalls(body: unknown): boolean {
  if (!isObject(body)) return false;
  const { choices, content, output } = body;
  return (
    itemsOf(choices).some(({ message }) => isObject(message) && isCalling(message)) ||
    itemsOf(content).some(({ type }) => type === 'tool_use') ||
    itemsOf(output).some(({ type }) => typeof type === 'string' && type.endsWith('_call'))
  );
}

const isCalling = ({ tool_calls, function_call }: Record<string, unknown>) =>
  itemsOf(tool_calls).length > 0 || isObject(function_call);

const itemsOf = (value: unknown) => (Array.isArray(value) ? value.filter(isObject) : []);
