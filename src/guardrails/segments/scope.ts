import type { GuardrailScope } from '../definition.ts';
import type { FoundSegment, ReadTexts } from './found.ts';

/**
 * The texts of a request in a scope. Texts that belong to no message, such as a prompt, are in every scope; the system prompt,
 * names and descriptions only in `all`.
 */
export function inScope(texts: ReadTexts, scope: GuardrailScope): readonly FoundSegment[] {
  if (scope === 'all') return texts.segments;
  const from = scope === 'last' ? texts.lastTurn : Math.min(texts.lastAnswer + 1, texts.lastTurn);
  return texts.segments.filter(
    ({ turn, kind }) => kind !== 'system' && kind !== 'title' && (turn === null || turn >= from),
  );
}
