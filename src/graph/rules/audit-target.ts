import { type GraphQLArgument, GraphQLID, isNonNullType } from 'graphql';
import type { Principal } from '../../auth/index.ts';
import { canonicalText } from '../../lib/canonical.ts';
import type { GraphContext } from '../../subgraphs/context.ts';

/** Documents that one slug may mean: each workspace may have one of them. */
const MAX_NAMESAKES = 20;

/** Of a mutation's arguments the one that names what it acts on; null for one that makes something. */
export function targetArgument(args: readonly GraphQLArgument[]): string | null {
  const ids = args.filter(({ type }) => isNonNullType(type) && type.ofType === GraphQLID);
  const target = ids.find(({ name }) => name === 'id') ?? ids.at(-1);
  return target?.name ?? null;
}

/**
 * Keyed hashes, by id, of the caller's documents that an id or slug may mean, as they are stored now. Empty where a
 * resource has no documents, and, with a line in the log, when they cannot be read: the trail must not keep anybody from
 * acting.
 */
export async function digestsOf(
  { db, auditedModels, secrets, log }: GraphContext,
  { organisationId, workspaceId }: Principal,
  resourceType: string,
  named: string | null,
): Promise<ReadonlyMap<string, string>> {
  const model = auditedModels.get(resourceType)?.(db);
  if (!model || named === null) return new Map();
  try {
    const documents = await model
      .find({
        organisationId,
        ...(workspaceId !== null && { workspaceId: { $in: [workspaceId, null] } }),
        ...(model.schema.path('slug') ? { $or: [{ _id: named }, { slug: named }] } : { _id: named }),
      })
      .limit(MAX_NAMESAKES)
      .lean<{ _id: string }[]>();
    return new Map(
      documents.map((document) => [document._id, secrets.sign('audit digest', canonicalText(document))]),
    );
  } catch (error) {
    log.warn({ error, resourceType }, 'The target of an audited action could not be read.');
    return new Map();
  }
}
