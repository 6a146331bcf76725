import { builtInRoles, isPermission, type Permission, tenantFilter } from '../../../auth/index.ts';
import { GatewayError, invalidInput } from '../../../errors/index.ts';
import { boundedRead, orTooSlow } from '../../bounded-read.ts';
import type { GraphContext } from '../../context.ts';
import { resourceFilter } from '../../filters.ts';
import { newestFirst } from '../../order.ts';
import { countItems, type PageArguments, requireShallow } from '../../page.ts';
import type { CreateRoleInput, QueryRolesArgs, UpdateRoleInput } from '../../types.generated.ts';
import { ifUnchanged, notWritten, orAlreadyExists } from '../../writes.ts';
import { isRoleGiven, keepAdministrator } from '../access-policy/index.ts';
import { requireHeld, requireWholeTenant, type TenantPrincipal } from '../permission.ts';
import { builtInRole, builtInRolesNamed, type ShownRole } from './built-in.ts';
import { roleById } from './loaders.ts';
import { type RoleDocument, roleModel } from './model.ts';

const permission = 'iam.custom_role';
const notFound = () => new GatewayError('NOT_FOUND', { message: 'The role does not exist.' });

export async function getRole(context: GraphContext, id: string): Promise<ShownRole> {
  const found = await referencedRole(context, id);
  if (!found) throw notFound();
  return found;
}

/** For references from other resources: null when the role is gone or another tenant's. */
export async function referencedRole(context: GraphContext, id: string): Promise<ShownRole | null> {
  requireWholeTenant(context.principal, permission);
  return builtInRole(id) ?? roleById(context).load(id);
}

/** The built-in roles come before the tenant's own, on whatever page they end. */
export async function listRoles(context: GraphContext, args: QueryRolesArgs & PageArguments) {
  const principal = requireWholeTenant(context.principal, permission);
  requireShallow(args);
  const builtIn = args.builtIn === false ? [] : builtInRolesNamed(args.name);
  const filter = { ...tenantFilter(principal), ...resourceFilter(args) };
  const skip = args.currentPage * args.pageSize;
  const first = builtIn.slice(skip, skip + args.pageSize);
  if (args.builtIn) return { total: builtIn.length, data: first };
  const [own, rest] = await Promise.all([
    countItems(roleModel(context.db), filter, newestFirst),
    readRoles(context, filter, Math.max(0, skip - builtIn.length), args.pageSize - first.length),
  ]);
  return { total: builtIn.length + own, data: [...first, ...rest] };
}

async function readRoles({ db }: GraphContext, filter: object, skip: number, limit: number) {
  // The store takes a limit of 0 for none.
  if (limit === 0) return [];
  return orTooSlow(
    roleModel(db)
      .find(filter, null, boundedRead)
      .sort(newestFirst.by)
      .skip(skip)
      .limit(limit)
      .lean<RoleDocument[]>()
      .exec(),
  );
}

export async function createRole(context: GraphContext, input: CreateRoleInput) {
  const principal = requireWholeTenant(context.principal, permission);
  const { tsgId, organisationId } = principal;
  if (builtInRoles.has(input.slug)) {
    throw invalidInput('input.slug', `input.slug is that of the built-in role ${input.slug}.`);
  }
  const permissions = grantedPermissions(principal, input.permissions);
  const created = await orAlreadyExists(
    roleModel(context.db).create({
      _id: `${input.slug}:${tsgId}`,
      tsgId,
      organisationId,
      slug: input.slug,
      name: input.name,
      description: input.description ?? null,
      permissions,
    }),
    { param: 'slug', message: `The tenant already has a role ${input.slug}.` },
  );
  await context.changes.publish('role');
  return created.toObject<RoleDocument>();
}

export async function updateRole(context: GraphContext, id: string, input: UpdateRoleInput) {
  const principal = requireWholeTenant(context.principal, permission);
  const role = await requireOwnRole(context, id);
  requireHeld(principal, role.permissions, 'change this role, which allows more');
  const permissions = input.permissions && grantedPermissions(principal, input.permissions);
  const write = () =>
    roleModel(context.db)
      .findOneAndUpdate(
        { _id: id, ...tenantFilter(principal), ...ifUnchanged(context) },
        {
          ...(input.name != null && { name: input.name }),
          ...(input.description !== undefined && { description: input.description }),
          ...(permissions && { permissions }),
        },
        { returnDocument: 'after' },
      )
      .lean<RoleDocument>()
      .exec();
  const updated = await (permissions && takesAway(role.permissions, permissions)
    ? keepAdministrator(context, principal.tsgId, { role: { $ne: id } }, write)
    : write());
  if (!updated) throw notWritten(context, notFound());
  await context.changes.publish('role');
  return updated;
}

export async function deleteRole(context: GraphContext, id: string): Promise<string> {
  const principal = requireWholeTenant(context.principal, permission);
  const { permissions } = await requireOwnRole(context, id);
  requireHeld(principal, permissions, 'delete this role, which allows more');
  if (await isRoleGiven(context.db, id)) {
    throw new GatewayError('IN_USE', { message: 'An access policy gives the role; remove it first.' });
  }
  const { deletedCount } = await roleModel(context.db).deleteOne({
    _id: id,
    ...tenantFilter(principal),
    ...ifUnchanged(context),
  });
  if (deletedCount === 0) throw notWritten(context, notFound());
  await context.changes.publish('role');
  return id;
}

const takesAway = (before: readonly Permission[], after: readonly Permission[]) =>
  before.includes('iam.access_policy') && !after.includes('iam.access_policy');

async function requireOwnRole(context: GraphContext, id: string): Promise<RoleDocument> {
  if (builtInRoles.has(id)) {
    throw new GatewayError('FORBIDDEN', { message: 'Built-in roles cannot be changed.', param: 'id' });
  }
  const found = await roleById(context).load(id);
  if (!found) throw notFound();
  return found;
}

/** The permissions to store: each exists and is one that the caller holds. */
function grantedPermissions(principal: TenantPrincipal, requested: readonly string[]): Permission[] {
  requested.forEach((name, index) => {
    const param = `input.permissions[${index}]`;
    if (!isPermission(name)) {
      throw invalidInput(param, `${param} is not a permission.`);
    }
    requireHeld(principal, [name], 'put this into a role', param);
  });
  return [...new Set(requested)];
}
