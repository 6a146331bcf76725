import type { Schema } from 'mongoose';

export type SortArgument = { field: string; direction?: 'asc' | 'desc' };

/** How a list is sorted: the keys, and the collation under which its texts are compared. */
export type Order = { by: Record<string, 1 | -1>; collation?: { locale: string; strength: number } };

/** Options of a read that say which index it uses. */
export type Hint = { hint?: Readonly<Record<string, 1 | -1>> };

export const newestFirst: Order = { by: { createdAt: -1, _id: -1 } };

// Names are sorted without regard to case, as people expect.
const nameCollation = { locale: 'en', strength: 2 };

/** The order that a `sort` argument asks for; equal values are in the order of their ids. */
export function orderOf({ field, direction }: SortArgument): Order {
  const sign = direction === 'asc' ? 1 : -1;
  return { by: { [field]: sign, _id: sign }, ...(field === 'name' && { collation: nameCollation }) };
}

/** Lets an index serve each sort of `ResourceSort`, both ways, in the lists of an organisation, or of a workspace. */
export function indexSorts<T>(schema: Schema<T>, owner: 'organisation' | 'workspace' = 'organisation'): void {
  const scope = owner === 'workspace' ? ['organisationId', 'workspaceId'] : ['organisationId'];
  const keys = Object.fromEntries(scope.map((field) => [field, 1 as const]));
  schema.index({ ...keys, createdAt: -1, _id: -1 });
  schema.index({ ...keys, lastUpdatedAt: -1, _id: -1 });
  schema.index({ ...keys, name: 1, _id: 1 }, { collation: nameCollation });
}
