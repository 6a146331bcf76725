import { guardrailNames } from '../../../routing-config/guardrails.ts';
import type { GatewayConfig } from '../../../routing-config/schema.ts';
import type { GraphContext } from '../../context.ts';
import { resolveNames } from '../guardrail/index.ts';
import type { ConfigDocument } from './model.ts';
import { invalidConfig } from './references.ts';

/** Ids of the stored guardrails that a config names, for each phase. */
export type ConfigGuardrails = Required<Pick<ConfigDocument, 'inputGuardrailIds' | 'outputGuardrailIds'>>;

/**
 * Finds the guardrails that a config names: active ones of its workspace, or of the organisation. Throws INVALID_CONFIG,
 * naming the place, for a name that means none, or one that cannot be used there.
 */
export async function requireGuardrails(
  context: GraphContext,
  { organisationId, workspaceId }: Pick<ConfigDocument, 'organisationId' | 'workspaceId'>,
  config: GatewayConfig,
): Promise<ConfigGuardrails> {
  const named = guardrailNames(config, 'config');
  const inPhase = (phase: 'input' | 'output') => named.filter((each) => each.phase === phase);
  const lists = (['input', 'output'] as const).map((phase) => ({
    phase,
    names: inPhase(phase).map(({ name }) => name),
    changes: inPhase(phase).map(({ changes }) => changes),
  }));
  const place = { organisationId, workspaceId };
  const { idOf, problems } = await resolveNames(context, place, lists, { andOrganisation: true });
  if (problems.length > 0)
    throw invalidConfig(
      problems.map(({ phase, index, message }) => ({
        path: inPhase(phase)[index]?.path ?? 'config',
        problem: message,
      })),
    );
  const ids = (phase: 'input' | 'output') => [
    ...new Set(inPhase(phase).flatMap(({ name }) => idOf.get(name) ?? [])),
  ];
  return { inputGuardrailIds: ids('input'), outputGuardrailIds: ids('output') };
}
