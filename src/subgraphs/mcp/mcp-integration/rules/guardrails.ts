import { invalidInput } from '../../../../errors/index.ts';
import type { McpConfigurations } from '../../../../mcp/configurations/index.ts';
import type { GraphContext } from '../../../context.ts';
import { type GuardrailDocument, guardrailModel } from '../../../routing/guardrail/index.ts';
import type { McpIntegrationDocument } from '../model.ts';

type Owner = Pick<McpIntegrationDocument, 'organisationId' | 'workspaceId'>;

const members = ['input_guardrails', 'output_guardrails'] as const;

/**
 * Ids of the guardrails that settings name by id or slug: those of the organisation, and of the workspace where the integration
 * has one. Refuses what names none that can be used.
 */
export async function namedGuardrailIds(
  { db }: GraphContext,
  { organisationId, workspaceId }: Owner,
  configurations: McpConfigurations,
): Promise<string[]> {
  const names = members.flatMap((member) => configurations[member] ?? []);
  if (names.length === 0) return [];
  const found = await guardrailModel(db)
    .find(
      {
        ...{ organisationId, workspaceId: { $in: [workspaceId, null] }, status: 'active' },
        $or: [{ _id: { $in: names } }, { slug: { $in: names } }],
      },
      { slug: 1 },
    )
    .lean<Pick<GuardrailDocument, '_id' | 'slug'>[]>();
  const idOf = new Map(found.flatMap(({ _id, slug }) => [[_id, _id] as const, [slug, _id] as const]));
  for (const member of members)
    for (const [index, name] of (configurations[member] ?? []).entries()) {
      const param = `input.configurations.${member}[${index}]`;
      if (!idOf.has(name))
        throw invalidInput(param, `${param} names no active guardrail that may be used here.`);
    }
  return [...new Set(idOf.values())];
}
