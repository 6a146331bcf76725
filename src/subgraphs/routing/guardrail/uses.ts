import DataLoader from 'dataloader';
import { GatewayError } from '../../../errors/index.ts';
import { type GraphContext, perRequest } from '../../context.ts';
import type { GuardrailUser } from '../../types.generated.ts';
import { type GuardrailContent, invalidGuardrail } from './content.ts';
import { findGuardrailUses, type GuardrailUses } from './find-uses.ts';
import type { GuardrailDocument } from './model.ts';
import { problemsIn } from './named.ts';

/** Users that are shown of one guardrail. */
const SHOWN = 100;

/** What names a guardrail, and keeps it from being deleted. */
export const usersOf = perRequest(
  (context: GraphContext) =>
    new DataLoader<GuardrailDocument, GuardrailUser[], string>(
      async (guardrails) => {
        const limit = SHOWN * guardrails.length;
        const found = await findGuardrailUses(context.db, guardrails, limit);
        return guardrails.map(({ _id }) => {
          const users = (found.get(_id) ?? []).map(({ kind, id }) => ({ kind, id }));
          const byName = new Map(users.map((user) => [`${user.kind} ${user.id}`, user]));
          return [...byName.values()].slice(0, SHOWN);
        });
      },
      { cacheKeyFn: ({ _id }) => _id },
    ),
);

const usesOf = async (context: GraphContext, guardrail: GuardrailDocument): Promise<GuardrailUses> =>
  (await findGuardrailUses(context.db, [guardrail], SHOWN)).get(guardrail._id) ?? [];

const words: Record<GuardrailUser['kind'], string> = {
  config: 'A config names the guardrail.',
  mcp_integration: 'An MCP integration names the guardrail.',
  workspace: 'The guardrail is a default of its workspace.',
  organisation: 'The guardrail is a default of the organisation.',
};

/** Refuses what would take a guardrail away from whatever names it: what it protects would be open, or would fail. */
export async function requireUnused(context: GraphContext, guardrail: GuardrailDocument): Promise<void> {
  const [use] = await usesOf(context, guardrail);
  if (use) throw new GatewayError('IN_USE', { message: words[use.kind] });
}

/** Throws VALIDATION_FAILED for a content that cannot be used where the guardrail is used now. */
export async function requireFit(
  context: GraphContext,
  guardrail: GuardrailDocument,
  content: GuardrailContent,
): Promise<void> {
  const uses = await usesOf(context, guardrail);
  for (const phase of new Set(uses.map((use) => use.phase))) {
    const problems = problemsIn(phase, { ...guardrail, ...content });
    if (problems.length > 0) throw invalidGuardrail(problems);
  }
}
