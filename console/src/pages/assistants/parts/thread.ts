import type { ThreadShownQuery } from '../documents.ts';

export type Run = NonNullable<ThreadShownQuery['runs']>['data'][number];
export type Message = NonNullable<ThreadShownQuery['threadMessages']>['data'][number];
export type Step = Run['steps'][number];

const open = ['queued', 'in_progress', 'cancelling'];
/** Whether something happens in a run without anybody's doing. */
export const isUnderWay = ({ status }: Run): boolean => open.includes(status);
/** Whether a run can be cancelled. */
export const isOpen = (run: Run): boolean => isUnderWay(run) || run.status === 'requires_action';

type Part = { text?: { value?: unknown } | string };

/** The texts of a message, in order. */
export function textOf({ content }: Message): string {
  if (typeof content === 'string') return content;
  return (Array.isArray(content) ? (content as Part[]) : [])
    .map(({ text }) => (typeof text === 'string' ? text : String(text?.value ?? '')))
    .join('\n');
}

export type ToolCall = { id: string; name: string; arguments: string };
type GivenCall = { id: string; type?: string; function?: { name?: string; arguments?: string } };

const callsIn = (value: unknown): ToolCall[] =>
  (Array.isArray(value) ? (value as GivenCall[]) : []).map(({ id, type, function: called }) => ({
    id,
    name: called?.name ?? type ?? 'tool',
    arguments: called?.arguments ?? '',
  }));

/** The functions whose outputs a run waits for. */
export const awaitedCalls = ({ requiredAction }: Run): ToolCall[] =>
  callsIn(
    (requiredAction as { submit_tool_outputs?: { tool_calls?: unknown } } | null)?.submit_tool_outputs
      ?.tool_calls,
  );

/** The tools that a step has called. */
export const calledIn = ({ stepDetails }: Step): ToolCall[] =>
  callsIn((stepDetails as { tool_calls?: unknown }).tool_calls);
