import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { isObject } from '../../../../lib/json.ts';
import { type Fields, isCount, RequestProblem } from '../fields.ts';

const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
export type Effort = (typeof efforts)[number];

/** How much a model shall think before it answers. */
export type Reasoning =
  | { kind: 'budget'; tokens: number }
  | { kind: 'effort'; effort: Effort }
  | { kind: 'adaptive' }
  | { kind: 'off' };

/** `thinking`, as Anthropic spells it, wins over `reasoning_effort`. */
export function reasoningOf({ thinking, reasoning_effort: effort }: Fields): Reasoning | null {
  if (isObject(thinking)) {
    if (thinking.type === 'disabled') return { kind: 'off' };
    if (thinking.type === 'adaptive' && effort === undefined) return { kind: 'adaptive' };
    if (thinking.budget_tokens !== undefined) {
      if (isCount(thinking.budget_tokens)) return { kind: 'budget', tokens: thinking.budget_tokens };
      throw new RequestProblem(
        'thinking.budget_tokens must be a whole number above 0.',
        'thinking.budget_tokens',
      );
    }
  }
  if (effort === undefined || effort === null) return null;
  const known = efforts.find((name) => name === effort);
  if (known === undefined)
    throw new RequestProblem(`reasoning_effort must be one of ${efforts.join(', ')}.`, 'reasoning_effort');
  return known === 'none' ? { kind: 'off' } : { kind: 'effort', effort: known };
}

/** The library's own scale, for models that are told an effort and not a budget. */
export const scaleOf = (reasoning: Reasoning): LanguageModelV4CallOptions['reasoning'] =>
  reasoning.kind === 'off' ? 'none' : reasoning.kind === 'effort' ? reasoning.effort : undefined;
