import DataLoader from 'dataloader';
import type { Connection } from 'mongoose';
import { GatewayError } from '../../../errors/index.ts';
import type { Phase } from '../../../guardrails/index.ts';
import { type GraphContext, perRequest } from '../../context.ts';
import { type OrganisationDocument, organisationModel } from '../../identity/organisation/index.ts';
import { type WorkspaceDocument, workspaceModel } from '../../identity/workspace/index.ts';
import { type McpIntegrationDocument, mcpIntegrationModel } from '../../mcp/mcp-integration/index.ts';
import type { GuardrailUser } from '../../types.generated.ts';
import { type ConfigDocument, configModel } from '../config/index.ts';
import { type GuardrailContent, invalidGuardrail } from './content.ts';
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

type Named = Pick<GuardrailDocument, '_id' | 'organisationId' | 'slug'>;
type Use = GuardrailUser & { phase: Phase };
type GuardrailUses = readonly Use[];
type NamedUse = { use: Use; name: string };

/** What names each of some guardrails of one organisation, and for which phase; `limit` documents of each kind are read. */
async function findGuardrailUses(
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
