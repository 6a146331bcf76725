import type { Principal } from '../../auth/index.ts';
import { invalidInput } from '../../errors/index.ts';
import type { GraphContext } from '../context.ts';
import { organisationWorkspaceIds, workspaceIdsNamed } from '../identity/workspace/index.ts';

/** Something of an organisation that all of its workspaces may use, or some. */
export type WorkspaceAllowance = {
  allowAllWorkspaces: boolean;
  /** Ids; those of workspaces that are gone may stand among them. */
  allowedWorkspaces: string[];
};

/** What a workspace may use. */
export const usableInWorkspace = (workspaceId: string) => ({
  $or: [{ allowAllWorkspaces: true }, { allowedWorkspaces: workspaceId }],
});

export const isUsableIn = (
  { allowAllWorkspaces, allowedWorkspaces }: WorkspaceAllowance,
  workspaceId: string,
): boolean => allowAllWorkspaces || allowedWorkspaces.includes(workspaceId);

/** An organisation credential sees all that is the organisation's, one of a workspace what the workspace may use. */
export const visibleByAllowance = (principal: Principal) => ({
  organisationId: principal.organisationId,
  ...(principal.workspaceId && usableInWorkspace(principal.workspaceId)),
});

/** Ids of the workspaces that `input.allowedWorkspaces` names by id or slug. */
export async function namedWorkspaces(
  context: GraphContext,
  organisationId: string,
  names: readonly string[],
): Promise<string[]> {
  const idOf = await workspaceIdsNamed(context.db, organisationId, names);
  const ids = names.map((name, index) => {
    const param = `input.allowedWorkspaces[${index}]`;
    const id = idOf.get(name);
    if (id === undefined) throw invalidInput(param, `${param} names no workspace of this organisation.`);
    return id;
  });
  return [...new Set(ids)];
}

/** The first `limit` of the workspaces that are named and still there. */
export async function allowedWorkspaceIds(
  context: GraphContext,
  { allowedWorkspaces }: WorkspaceAllowance,
  limit = allowedWorkspaces.length,
): Promise<string[]> {
  const all = new Set(await organisationWorkspaceIds(context));
  return allowedWorkspaces.filter((id) => all.has(id)).slice(0, limit);
}
