import type { TestContext } from '../context.ts';
import type { Entity, EntityType } from '../entity-map.ts';
import type { Arguments } from './arguments.ts';

/** The operations on one type of entity. */
export type Operations<T extends EntityType> = Record<
  string,
  (target: Entity<T>, args: Arguments, context: TestContext) => Promise<unknown>
>;
