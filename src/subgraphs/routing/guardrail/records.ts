import type { Connection } from 'mongoose';
import type { CompiledGuardrail } from '../../../guardrails/index.ts';
import { type WorkspaceDocument, workspaceModel } from '../../identity/workspace/index.ts';
import type { GuardrailCompiler } from './compiled.ts';
import { type GuardrailDocument, guardrailModel } from './model.ts';

type Wanted = { id: string; workspaceId: string; name: string };

/**
 * Guardrails by `<workspaceId>/<id or slug>`, ready to run for configs of the workspace: its own, and those of its
 * organisation. Archived and broken ones are left out.
 */
export async function loadGuardrailRecords(
  db: Connection,
  compiler: GuardrailCompiler,
  ids: string[],
): Promise<Map<string, CompiledGuardrail>> {
  const wanted = ids.map(parsed);
  const organisations = await organisationsOf(
    db,
    wanted.map(({ workspaceId }) => workspaceId),
  );
  const names = { $in: wanted.map(({ name }) => name) };
  const found = await guardrailModel(db)
    .find({
      organisationId: { $in: [...new Set(organisations.values())] },
      status: 'active',
      $or: [{ _id: names }, { slug: names }],
    })
    .lean<GuardrailDocument[]>();
  await compiler.readReferences(db, found);
  const byName = Map.groupBy(
    found.flatMap((guardrail) => [guardrail._id, guardrail.slug].map((name) => ({ name, guardrail }))),
    ({ name }) => name,
  );
  return new Map(
    wanted.flatMap(({ id, workspaceId, name }) => {
      const isUsable = ({ guardrail }: { guardrail: GuardrailDocument }) =>
        guardrail.organisationId === organisations.get(workspaceId) &&
        (guardrail.workspaceId === null || guardrail.workspaceId === workspaceId);
      const guardrail = byName.get(name)?.find(isUsable)?.guardrail;
      const compiled = guardrail && compiler.compile(guardrail, 'config');
      return compiled ? [[id, compiled] as const] : [];
    }),
  );
}

function parsed(id: string): Wanted {
  const slash = id.indexOf('/');
  return { id, workspaceId: id.slice(0, slash), name: id.slice(slash + 1) };
}

/** The organisation of each workspace. */
async function organisationsOf(db: Connection, workspaceIds: string[]): Promise<Map<string, string>> {
  const found = await workspaceModel(db)
    .find({ _id: { $in: [...new Set(workspaceIds)] } }, { organisationId: 1 })
    .lean<Pick<WorkspaceDocument, '_id' | 'organisationId'>[]>();
  return new Map(found.map(({ _id, organisationId }) => [_id, organisationId]));
}
