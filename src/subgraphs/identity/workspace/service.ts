import { type Principal, requireScope, type Scope } from '../../../auth/index.ts';
import { GatewayError, invalidInput } from '../../../errors/index.ts';
import { slugFrom, uuid } from '../../../lib/ids.ts';
import type { GraphContext } from '../../context.ts';
import { resourceFilter } from '../../filters.ts';
import { changeLimits } from '../../limits/change.ts';
import { bringsLimits, type GivenLimits, parseLimits } from '../../limits/given.ts';
import { orderOf } from '../../order.ts';
import { findPage, type SortedPageArguments } from '../../page.ts';
import type {
  CreateWorkspaceInput,
  QueryWorkspacesArgs,
  UpdateWorkspaceInput,
} from '../../types.generated.ts';
import { ifUnchanged, notWritten, orAlreadyExists } from '../../writes.ts';
import { ensureMembers, removeMembers, requireUsers } from '../member/index.ts';
import { withRequiredMetadata } from '../organisation/index.ts';
import { requireGivable } from '../permission.ts';
import { changedDefaults, newDefaults } from './defaults.ts';
import { visibleWorkspaces, workspaceById } from './loaders.ts';
import { limitOwner, type WorkspaceDocument, workspaceModel } from './model.ts';

type ListArguments = QueryWorkspacesArgs & SortedPageArguments;

const idOrSlug = (id: string) => ({ $or: [{ _id: id }, { slug: id }] });

const notFound = () => new GatewayError('NOT_FOUND', { message: 'The workspace does not exist.' });

export async function getWorkspace(
  context: GraphContext,
  id: string,
  scope: Scope = 'workspaces.read',
): Promise<WorkspaceDocument> {
  const principal = requireScope(context.principal, [scope]);
  const found = await workspaceModel(context.db)
    .findOne({ $and: [idOrSlug(id), visibleWorkspaces(principal)] })
    .lean<WorkspaceDocument>();
  if (!found) throw notFound();
  return found;
}

/** For references from other resources: null when the workspace is gone or out of the credential's reach. */
export async function referencedWorkspace(
  context: GraphContext,
  id: string,
): Promise<WorkspaceDocument | null> {
  requireScope(context.principal, ['workspaces.read']);
  return workspaceById(context).load(id);
}

export async function listWorkspaces(context: GraphContext, args: ListArguments) {
  const principal = requireScope(context.principal, ['workspaces.list']);
  return findPage(
    workspaceModel(context.db),
    {
      ...visibleWorkspaces(principal),
      ...(args.status && { status: { $in: args.status } }),
      ...resourceFilter(args),
      ...(args.exactName && { name: args.exactName }),
    },
    args,
    orderOf(args.sort),
  );
}

export async function createWorkspace(context: GraphContext, input: CreateWorkspaceInput) {
  const principal = requireScope(context.principal, ['workspaces.create']);
  const { organisationId } = principal;
  const given = newDefaults(input.defaults);
  const defaults = await withRequiredMetadata(context, 'workspaceMetadataSchema', given);
  const users = input.users ?? [];
  await requireUsers(context, organisationId, users, (index) => `input.users[${index}]`);
  if (users.length > 0) requireGivable(principal, 'workspace_member', 'input.users');
  requireLimitsFromAbove(principal, input);
  const limits = parseLimits(input, {}, context.now());
  const created = await orAlreadyExists(
    workspaceModel(context.db).create({
      _id: uuid(),
      organisationId,
      slug: input.slug ?? slugFrom(input.name, 'ws-'),
      name: input.name,
      description: input.description ?? null,
      defaults,
      ...limits,
    }),
  );
  const workspaceId = created._id;
  await ensureMembers(
    context,
    organisationId,
    users.map((userId) => ({ workspaceId, userId, role: 'member' })),
  );
  await context.changes.publish('workspace');
  return created.toObject();
}

export async function updateWorkspace(context: GraphContext, id: string, input: UpdateWorkspaceInput) {
  const present = await getWorkspace(context, id, 'workspaces.update');
  const { _id, organisationId, defaults: before } = present;
  requireLimitsFromAbove(context.principal, input);
  const given =
    input.defaults === undefined
      ? before
      : await changedDefaults(context, { organisationId, workspaceId: _id }, input.defaults);
  const defaults = await withRequiredMetadata(context, 'workspaceMetadataSchema', given);
  const model = workspaceModel(context.db);
  const updated = await changeLimits<WorkspaceDocument>(context, {
    ...{ input, present, ownerOf: limitOwner },
    read: () => model.findOne({ _id, organisationId }).lean<WorkspaceDocument>(),
    write: (limits, filter) =>
      model
        .findOneAndUpdate(
          { _id, organisationId, ...ifUnchanged(context), ...filter },
          {
            ...(input.name != null && { name: input.name }),
            ...(input.description !== undefined && { description: input.description }),
            ...(defaults !== before && { defaults }),
            ...limits,
          },
          { returnDocument: 'after' },
        )
        .lean<WorkspaceDocument>(),
  });
  if (!updated) throw notWritten(context, notFound());
  await context.changes.publish('workspace');
  return updated;
}

/** Who is bound to a workspace does not lift its limits. */
function requireLimitsFromAbove(principal: Principal | null, input: GivenLimits): void {
  if (!bringsLimits(input) || principal?.workspaceId === null || principal?.scopes.has('workspaces.create'))
    return;
  const members = ['usageLimits', 'rateLimits', 'resetUsage'] as const;
  const given = members.find((member) => input[member] !== undefined);
  throw new GatewayError('FORBIDDEN', {
    message: 'Limits of a workspace are set by a credential of the organisation.',
    param: `input.${given}`,
  });
}

export async function deleteWorkspace(context: GraphContext, id: string): Promise<string> {
  const workspace = await getWorkspace(context, id, 'workspaces.delete');
  if (workspace.isDefault)
    throw new GatewayError('IN_USE', { message: 'The default workspace cannot be deleted.' });
  for (const modelOf of context.workspaceOwned) {
    const model = modelOf(context.db);
    if (await model.exists({ organisationId: workspace.organisationId, workspaceId: workspace._id })) {
      throw new GatewayError('IN_USE', {
        message: `The workspace still has entries in ${model.collection.collectionName}; remove them first.`,
      });
    }
  }
  const { _id, organisationId } = workspace;
  const { deletedCount } = await workspaceModel(context.db).deleteOne({
    _id,
    organisationId,
    ...ifUnchanged(context),
  });
  if (deletedCount === 0) throw notWritten(context, notFound());
  await removeMembers(context, { organisationId, workspaceId: _id });
  for (const modelOf of context.goingWithWorkspace)
    await modelOf(context.db).deleteMany({ organisationId, workspaceId: _id });
  await context.changes.publish('workspace');
  return workspace._id;
}

/** Id of the workspace that a path names by id or slug; throws NOT_FOUND where the credential reaches none. */
export async function namedWorkspaceId(context: GraphContext, named: string): Promise<string> {
  const { principal } = context;
  if (!principal) throw new GatewayError('UNAUTHENTICATED');
  const found = await workspaceModel(context.db)
    .findOne({ $and: [idOrSlug(named), visibleWorkspaces(principal)] }, { _id: 1 })
    .lean<{ _id: string }>();
  if (!found) throw notFound();
  return found._id;
}

/**
 * The workspace that a workspace-bound resource is created in or listed from: the credential's own, or the one that an
 * organisation-wide credential names by id or slug. `param` is what errors call the argument that names it.
 */
export async function workspaceIdFor(
  context: GraphContext,
  named: string | null | undefined,
  param = 'workspace_id',
): Promise<string> {
  const { principal } = context;
  if (!principal) throw new GatewayError('UNAUTHENTICATED');
  if (!named) {
    if (principal.workspaceId) return principal.workspaceId;
    throw invalidInput(param, `${param} is required with an organisation-wide credential.`);
  }
  const found = await workspaceModel(context.db)
    .findOne({ $and: [idOrSlug(named), visibleWorkspaces(principal)] }, { _id: 1 })
    .lean<{ _id: string }>();
  if (!found) {
    throw new GatewayError(principal.workspaceId ? 'FORBIDDEN' : 'VALIDATION_FAILED', {
      message: principal.workspaceId
        ? 'A workspace credential may not name another workspace.'
        : `${param} names no workspace of this organisation.`,
      param,
    });
  }
  return found._id;
}
