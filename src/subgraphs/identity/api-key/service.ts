import { apiKeyTypes, requireScope, tenantFilter } from '../../../auth/index.ts';
import { GatewayError } from '../../../errors/index.ts';
import { keyUseModel } from '../../../recording/key-use/index.ts';
import type { GraphContext } from '../../context.ts';
import { resourceFilter } from '../../filters.ts';
import { changeLimits } from '../../limits/change.ts';
import { limitedStatusFilter } from '../../limits/exhausted.ts';
import { bringsLimits } from '../../limits/given.ts';
import { orderOf } from '../../order.ts';
import { findPage, type SortedPageArguments } from '../../page.ts';
import type { QueryApiKeysArgs, UpdateApiKeyInput } from '../../types.generated.ts';
import { ifUnchanged, notWritten } from '../../writes.ts';
import { requireHeld } from '../permission.ts';
import { workspaceIdFor } from '../workspace/index.ts';
import { nextNotice } from './expiry-notice.ts';
import { parseAddresses, parseDefaults, parseExpiry, withLabels } from './input.ts';
import { requireLimitsOfKey } from './limit-setter.ts';
import { apiKeyById, visibleKeys } from './loaders.ts';
import { type ApiKeyDocument, apiKeyModel, limitOwner } from './model.ts';
import { parsePolicy } from './rotation-policy.ts';
import { grantedScopes, type KeyVerb, keyScope, requireKeyScope } from './scopes.ts';

type ListArguments = QueryApiKeysArgs & SortedPageArguments;

/** The scopes of which one lets somebody act on keys of some type. */
export const anyKeyType = (verb: KeyVerb) => apiKeyTypes.map((type) => keyScope(type, verb));
const owners = { level: 'api_key' as const, modelOf: apiKeyModel, ownerOf: limitOwner };
const notFound = () => new GatewayError('NOT_FOUND', { message: 'The API key does not exist.' });

/** A key that the caller may act on with this verb, which depends on the key's type. */
export async function requireApiKey(
  context: GraphContext,
  id: string,
  verb: KeyVerb,
): Promise<ApiKeyDocument> {
  requireScope(context.principal, anyKeyType(verb));
  const found = await apiKeyById(context).load(id);
  if (!found) throw notFound();
  requireKeyScope(context.principal, found.type, verb);
  return found;
}

/** A key that the caller may act on with this verb, and that may do no more than the caller. */
export async function requireWeakerKey(
  context: GraphContext,
  id: string,
  verb: 'delete' | 'rotate' | 'update',
): Promise<ApiKeyDocument> {
  const key = await requireApiKey(context, id, verb);
  const principal = requireKeyScope(context.principal, key.type, verb);
  requireHeld(principal, key.scopes, `${verb} this API key, which may do more`);
  return key;
}

export const getApiKey = (context: GraphContext, id: string): Promise<ApiKeyDocument> =>
  requireApiKey(context, id, 'read');

/** For references from other resources: null when the key is gone or out of the credential's reach. */
export async function referencedApiKey(context: GraphContext, id: string): Promise<ApiKeyDocument | null> {
  requireScope(context.principal, anyKeyType('read'));
  const found = await apiKeyById(context).load(id);
  if (found) requireKeyScope(context.principal, found.type, 'read');
  return found;
}

export async function listApiKeys(context: GraphContext, args: ListArguments) {
  const principal = requireScope(context.principal, anyKeyType('list'));
  const types = apiKeyTypes.filter(
    (type) => principal.scopes.has(keyScope(type, 'list')) && (args.type ?? type) === type,
  );
  return findPage(
    apiKeyModel(context.db),
    {
      $and: [
        visibleKeys(principal),
        await limitedStatusFilter(context, args.status, principal.organisationId, owners),
      ],
      ...(args.workspaceId && { workspaceId: await workspaceIdFor(context, args.workspaceId) }),
      type: { $in: types },
      ...(args.ids && { _id: { $in: args.ids } }),
      ...(args.userId && { userId: args.userId }),
      ...resourceFilter(args),
    },
    args,
    orderOf(args.sort),
  );
}

export async function updateApiKey(context: GraphContext, id: string, input: UpdateApiKeyInput) {
  const key = await requireWeakerKey(context, id, 'update');
  const principal = requireKeyScope(context.principal, key.type, 'update');
  const given =
    input.defaults === undefined ? key.defaults : await parseDefaults(context, input.defaults, key);
  const defaults = await withLabels(context, given, key.workspaceId);
  const expiresAt = input.expiresAt === undefined ? key.expiresAt : parseExpiry(context, input.expiresAt);
  if (bringsLimits(input)) await requireLimitsOfKey(context, principal);
  const members = {
    ...(input.name != null && { name: input.name }),
    ...(input.description !== undefined && { description: input.description }),
    ...(input.scopes != null && { scopes: grantedScopes(principal, key.type, input.scopes) }),
    ...(defaults !== key.defaults && { defaults }),
    ...(input.alertEmails !== undefined && { alertEmails: parseAddresses(input.alertEmails) }),
    ...(input.expiresAt !== undefined && { expiresAt, nextNoticeAt: nextNotice(expiresAt, context.now()) }),
    ...(input.rotationPolicy !== undefined && {
      rotationPolicy: parsePolicy(input.rotationPolicy, context.now()),
    }),
  };
  const model = apiKeyModel(context.db);
  const own = { _id: key._id, ...tenantFilter(principal) };
  const updated = await changeLimits(context, {
    ...{ input, present: key, ownerOf: limitOwner },
    read: () => model.findOne(own).lean<ApiKeyDocument>(),
    write: (limits, unchanged) =>
      model
        .findOneAndUpdate(
          { ...own, ...ifUnchanged(context), ...unchanged },
          { ...members, ...limits },
          { returnDocument: 'after' },
        )
        .lean<ApiKeyDocument>(),
  });
  if (!updated) throw notWritten(context, notFound());
  await context.changes.publish('api_key');
  return updated;
}

/** The key stops working at once, with both secrets. A key may delete itself: whoever finds one can take it out of service. */
export async function deleteApiKey(context: GraphContext, id: string): Promise<string> {
  const key = await requireWeakerKey(context, id, 'delete');
  const { _id, organisationId } = key;
  const { deletedCount } = await apiKeyModel(context.db).deleteOne({
    _id,
    organisationId,
    ...ifUnchanged(context),
  });
  if (deletedCount === 0) throw notWritten(context, notFound());
  await keyUseModel(context.db).deleteOne({ _id });
  await context.changes.publish('api_key');
  return _id;
}
