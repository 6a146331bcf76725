import { type GraphQLArgument, GraphQLID, isNonNullType } from 'graphql';
import type { Principal } from '../../auth/index.ts';
import { auditDigest } from '../../subgraphs/audited-request.ts';
import type { GraphContext } from '../../subgraphs/context.ts';

/** The most documents that one slug may mean: each workspace may have one of them. */
const MAX_NAMESAKES = 20;

/** The members among which at least one must have the value. */
export type Names = readonly Readonly<Record<string, string>>[];

/**
 * The argument of a mutation that names the document which is changed, rather than its surroundings; null for a
 * mutation that makes a new one.
 */
export function targetArgument(args: readonly GraphQLArgument[]): string | null {
  const ids = args.filter(
    ({ name, type }) => isNonNullType(type) && type.ofType === GraphQLID && name !== 'workspaceId',
  );
  const target = ids.find(({ name }) => name === 'id') ?? ids[0];
  return target?.name ?? null;
}

/** The members in which a document may hold its name: a member of a workspace is named by `userId`. */
export const namesOf = (argument: string, value: string): Names =>
  ['_id', 'slug', ...(argument === 'id' ? [] : [argument])].map((member) => ({ [member]: value }));

/** A document as it is stored, and its keyed hash. */
export type Snapshot = { digest: string; document: Readonly<Record<string, unknown>> };

/**
 * By id, the caller's documents with one of the names, as they are stored now. Empty where a resource
 * has no documents, and, with a line in the log, when they cannot be read: the trail must not keep anybody from acting.
 */
export async function snapshotsOf(
  context: GraphContext,
  principal: Principal,
  resourceType: string,
  names: Names,
): Promise<ReadonlyMap<string, Snapshot>> {
  const { db, audited, log } = context;
  const { model: modelOf, reach = ownOf } = audited.get(resourceType) ?? {};
  if (!modelOf || names.length === 0) return new Map();
  const model = modelOf(db);
  const known = names.filter((name) => Object.keys(name).every((member) => model.schema.path(member)));
  try {
    const documents = await model
      .find({ $and: [reach(principal), { $or: known }] })
      .limit(MAX_NAMESAKES)
      .lean<{ _id: string }[]>();
    return new Map(
      documents.map((document) => [document._id, { document, digest: auditDigest(context, document) }]),
    );
  } catch (error) {
    log.warn({ error, resourceType }, 'The target of an audited action could not be read.');
    return new Map();
  }
}

/**
 * Selects the documents of the caller's organisation and, where documents belong to workspaces, of the caller's
 * workspace.
 */
const ownOf = ({ organisationId, workspaceId }: Principal): object => ({
  organisationId,
  ...(workspaceId !== null && { workspaceId: { $in: [workspaceId, null] } }),
});
