import type { Model, QueryFilter } from 'mongoose';
import { invalidInput } from '../../../errors/index.ts';
import { boundedRead, orTooSlow } from '../../bounded-read.ts';
import type { Attribute } from './attributes.ts';
import { type FilterExpression, invalidFilter, parseFilter } from './parse.ts';

/** What a SCIM client asks of a list; `startIndex` begins with 1. */
export type ScimQuery = { filter?: string; startIndex: number; count: number };

export type ScimList<T> = { totalResults: number; startIndex: number; resources: T[] };

/** Items that a page may skip: an identity provider that imports everybody walks to the end. */
const MAX_SKIPPED = 100_000;

/**
 * A part of a list, oldest first, so that what is made meanwhile does not move the rest. `visible` is what the credential
 * reaches; `attributes` are those that a filter may name, by their path in lower case.
 */
export async function findScimList<T>(
  model: Model<T>,
  visible: QueryFilter<T>,
  attributes: Readonly<Record<string, Attribute>>,
  { filter, startIndex, count }: ScimQuery,
): Promise<ScimList<T>> {
  if (startIndex > MAX_SKIPPED) throw invalidInput('startIndex', `startIndex is at most ${MAX_SKIPPED}.`);
  const query = (
    filter === undefined ? visible : anyOf(await alternativesOf(parseFilter(filter), { visible, attributes }))
  ) as QueryFilter<T>;
  const [totalResults, resources] = await orTooSlow(
    Promise.all([
      model.countDocuments(query, boundedRead).exec(),
      // A limit of 0 would be none.
      count === 0
        ? []
        : model
            .find(query, null, boundedRead)
            .sort({ createdAt: 1, _id: 1 })
            .skip(startIndex - 1)
            .limit(count)
            .lean<T[]>()
            .exec(),
    ]),
  );
  return { totalResults, startIndex, resources };
}

type Ground = { visible: object; attributes: Readonly<Record<string, Attribute>> };

const anyOf = (alternatives: object[]): object => {
  const [only, ...others] = alternatives;
  return only && others.length === 0 ? only : { $or: alternatives };
};

/**
 * Conditions of which one has to hold. Each says itself what is visible: an index serves an alternative that stands at the
 * top of a query, with all that its key begins with.
 */
async function alternativesOf(expression: FilterExpression, ground: Ground): Promise<object[]> {
  if (!('parts' in expression)) return conditionsOf(expression, ground);
  const parts = await Promise.all(expression.parts.map((part) => alternativesOf(part, ground)));
  return expression.op === 'or' ? parts.flat() : [{ $and: parts.map(anyOf) }];
}

async function conditionsOf(
  condition: Extract<FilterExpression, { path: string }>,
  { visible, attributes }: Ground,
): Promise<object[]> {
  const { path } = condition;
  const attribute = Object.hasOwn(attributes, path) ? attributes[path] : undefined;
  if (attribute) return [await attribute(condition)].flat().map((found) => ({ ...found, ...visible }));
  throw invalidFilter(
    `A filter cannot name ${path} here; it can name ${Object.keys(attributes).join(', ')}.`,
  );
}
