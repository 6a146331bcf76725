import { type Principal, requireScope, tenantFilter } from '../../../auth/index.ts';
import { GatewayError, invalidInput } from '../../../errors/index.ts';
import { uuid } from '../../../lib/ids.ts';
import type { GraphContext } from '../../context.ts';
import { loaderById } from '../../loading.ts';
import { orderOf } from '../../order.ts';
import { findPage, type SortedPageArguments } from '../../page.ts';
import type {
  CreateSavedViewInput,
  QuerySavedViewsArgs,
  UpdateSavedViewInput,
} from '../../types.generated.ts';
import { type SavedViewDocument, savedViewModel } from './model.ts';

/** Views that one maker may have; the schema says so too. */
const MOST = 200;

const requireReader = (context: GraphContext): Principal =>
  requireScope(context.principal, ['logs.list', 'analytics.view']);

/** A person has the same views under each of their keys. */
const makerOf = ({ userId, id }: Principal): string => userId ?? id;

const visible = (principal: Principal) => ({
  ...tenantFilter(principal),
  $or: [{ shared: true }, { createdBy: makerOf(principal) }],
});

const viewById = loaderById(savedViewModel, visible);

/** For references from other resources: null when the view is gone or out of the credential's reach. */
export async function referencedView(context: GraphContext, id: string): Promise<SavedViewDocument | null> {
  requireReader(context);
  return viewById(context).load(id);
}

export async function listSavedViews(context: GraphContext, args: QuerySavedViewsArgs & SortedPageArguments) {
  const principal = requireReader(context);
  const filter = { ...visible(principal), ...(args.page != null && { page: args.page }) };
  return findPage(savedViewModel(context.db), filter, args, orderOf(args.sort));
}

export async function createSavedView(
  context: GraphContext,
  { page, name, query, shared }: CreateSavedViewInput,
): Promise<SavedViewDocument> {
  const principal = requireReader(context);
  const { organisationId, workspaceId } = principal;
  const model = savedViewModel(context.db);
  const createdBy = makerOf(principal);
  if ((await model.countDocuments({ organisationId, createdBy })) >= MOST) {
    throw invalidInput('input', `There are ${MOST} views of yours already: delete one first.`);
  }
  const members = { page, name, query, shared: shared ?? false };
  const created = await model.create({ _id: uuid(), organisationId, workspaceId, createdBy, ...members });
  return created.toObject<SavedViewDocument>();
}

export async function updateSavedView(
  context: GraphContext,
  id: string,
  { name, query, shared }: UpdateSavedViewInput,
): Promise<SavedViewDocument> {
  const principal = requireReader(context);
  const members = {
    ...(name != null && { name }),
    ...(query != null && { query }),
    ...(shared != null && { shared }),
  };
  const updated = await savedViewModel(context.db)
    .findOneAndUpdate({ _id: id, ...visible(principal) }, members, { returnDocument: 'after' })
    .lean<SavedViewDocument>();
  if (!updated) throw notFound();
  return updated;
}

export async function deleteSavedView(context: GraphContext, id: string): Promise<string> {
  const principal = requireReader(context);
  const { deletedCount } = await savedViewModel(context.db).deleteOne({ _id: id, ...visible(principal) });
  if (deletedCount === 0) throw notFound();
  return id;
}

const notFound = () => new GatewayError('NOT_FOUND', { message: 'The view does not exist.' });
