import type { Connection } from 'mongoose';
import type { Phase } from '../../../guardrails/index.ts';
import { type OrganisationDocument, organisationModel } from '../../identity/organisation/index.ts';
import { type WorkspaceDocument, workspaceModel } from '../../identity/workspace/index.ts';
import { type McpIntegrationDocument, mcpIntegrationModel } from '../../mcp/mcp-integration/index.ts';
import type { GuardrailUser } from '../../types.generated.ts';
import { type ConfigDocument, configModel } from '../config/index.ts';
import type { GuardrailDocument } from './model.ts';

type Named = Pick<GuardrailDocument, '_id' | 'organisationId' | 'slug'>;
type Use = GuardrailUser & { phase: Phase };
export type GuardrailUses = readonly Use[];
type NamedUse = { use: Use; name: string };

/** What names each of some guardrails of one organisation, and for which phase; `limit` documents of each kind are read. */
export async function findGuardrailUses(
  db: Connection,
  guardrails: readonly Named[],
  limit: number,
): Promise<Map<string, GuardrailUses>> {
  const organisationId = guardrails[0]?.organisationId ?? '';
  const names = guardrails.flatMap(({ _id, slug }) => [_id, slug]);
  const found = (
    await Promise.all([
      byConfigs(db, organisationId, { ids: guardrails.map(({ _id }) => _id), limit }),
      byMcpIntegrations(db, organisationId, { names, limit }),
      byWorkspaces(db, organisationId, { names, limit }),
      byOrganisation(db, organisationId),
    ])
  ).flat();
  return new Map(
    guardrails.map(({ _id, slug }) => [
      _id,
      found.filter(({ name }) => name === _id || name === slug).map(({ use }) => use),
    ]),
  );
}

const usesIn = (phase: Phase, names: readonly string[] | undefined, user: GuardrailUser): NamedUse[] =>
  (names ?? []).map((name) => ({ name, use: { ...user, phase } }));

async function byConfigs(
  db: Connection,
  organisationId: string,
  { ids, limit }: { ids: string[]; limit: number },
): Promise<NamedUse[]> {
  const found = await configModel(db)
    .find(
      {
        organisationId,
        $or: [{ inputGuardrailIds: { $in: ids } }, { outputGuardrailIds: { $in: ids } }],
      },
      { inputGuardrailIds: 1, outputGuardrailIds: 1 },
    )
    .limit(limit)
    .lean<Pick<ConfigDocument, '_id' | 'inputGuardrailIds' | 'outputGuardrailIds'>[]>();
  return found.flatMap(({ _id, inputGuardrailIds, outputGuardrailIds }) => [
    ...usesIn('input', inputGuardrailIds, { kind: 'config', id: _id }),
    ...usesIn('output', outputGuardrailIds, { kind: 'config', id: _id }),
  ]);
}

/** Those whose ids stand in the list are named by id or slug in the settings, which say for which phase. */
async function byMcpIntegrations(
  db: Connection,
  organisationId: string,
  { names, limit }: { names: string[]; limit: number },
): Promise<NamedUse[]> {
  const found = await mcpIntegrationModel(db)
    .find({ organisationId, guardrailIds: { $in: names } }, { configurations: 1 })
    .limit(limit)
    .lean<Pick<McpIntegrationDocument, '_id' | 'configurations'>[]>();
  return found.flatMap(({ _id, configurations }) => {
    const { input_guardrails: input, output_guardrails: output } = JSON.parse(configurations);
    const user = { kind: 'mcp_integration' as const, id: _id };
    return [...usesIn('input', input, user), ...usesIn('output', output, user)];
  });
}

async function byWorkspaces(
  db: Connection,
  organisationId: string,
  { names, limit }: { names: string[]; limit: number },
): Promise<NamedUse[]> {
  const found = await workspaceModel(db)
    .find(
      {
        organisationId,
        $or: [
          { 'defaults.input_guardrails': { $in: names } },
          { 'defaults.output_guardrails': { $in: names } },
        ],
      },
      { defaults: 1 },
    )
    .limit(limit)
    .lean<Pick<WorkspaceDocument, '_id' | 'defaults'>[]>();
  return found.flatMap(({ _id, defaults }) => [
    ...usesIn('input', defaults?.input_guardrails, { kind: 'workspace', id: _id }),
    ...usesIn('output', defaults?.output_guardrails, { kind: 'workspace', id: _id }),
  ]);
}

async function byOrganisation(db: Connection, organisationId: string): Promise<NamedUse[]> {
  const found = await organisationModel(db)
    .findOne({ _id: organisationId }, { settings: 1 })
    .lean<Pick<OrganisationDocument, 'settings'>>();
  const defaults = found?.settings?.defaultGuardrails;
  const user = { kind: 'organisation' as const, id: organisationId };
  return [...usesIn('input', defaults?.input, user), ...usesIn('output', defaults?.output, user)];
}
