import type { EntityMap } from './entity-map.ts';
import { Mismatch } from './problems.ts';

/** Where in an outcome a value stands. */
export type Place = {
  path: string;
  /** Only a root-level document may have more fields than expected: the value itself, or each element of an array. */
  root: 'none' | 'document' | 'elements';
  entities: EntityMap;
};

/** Ends the matching of a value with a sentence that says where it went wrong. */
export function fail(place: Place, message: string): never {
  throw new Mismatch(`${place.path}: ${message}`);
}
