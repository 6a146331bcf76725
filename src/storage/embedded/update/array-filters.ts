import { badValue, failedToParse } from '../errors.ts';
import { compileFilter, type FilterContext } from '../query/filter.ts';
import { type Document, expectDocument, isDocument } from '../value/types.ts';

/** Tests of array elements by the names under which the paths of an update refer to them. */
export type ArrayFilters = Map<string, (element: unknown) => boolean>;

/** Compiles `arrayFilters`; each must be named in some path of the update. */
export function compileArrayFilters(given: unknown, update: Document, context: FilterContext): ArrayFilters {
  const result: ArrayFilters = new Map();
  if (given === undefined || given === null) return result;
  if (!Array.isArray(given)) throw badValue('arrayFilters must be an array');
  const paths = Object.values(update).flatMap((fields) => (isDocument(fields) ? Object.keys(fields) : []));
  for (const item of given) {
    const filter = expectDocument(item, 2, 'arrayFilters must be an array of objects');
    const name = filterName(filter);
    if (!/^[a-z][a-zA-Z0-9]*$/.test(name))
      throw badValue(
        `Error parsing array filter :: caused by :: The top-level field name must be an alphanumeric string beginning with a lowercase letter, found '${name}'`,
      );
    if (result.has(name))
      throw failedToParse(`Found multiple array filters with the same top-level field name ${name}`);
    if (!paths.some((path) => path.includes(`$[${name}]`)))
      throw failedToParse(
        `The array filter for identifier '${name}' was not used in the update ${JSON.stringify(Object.keys(update))}`,
      );
    const { test } = compileFilter(filter, context);
    result.set(name, (element) => test({ [name]: element }));
  }
  return result;
}

/** The name that all conditions of an array filter begin with. */
function filterName(filter: Document): string {
  const names = new Set(namesIn(filter));
  const [name] = names;
  if (name === undefined)
    throw failedToParse('Cannot use an expression without a top-level field name in arrayFilters');
  if (names.size > 1)
    throw failedToParse('Error parsing array filter :: caused by :: Expected a single top-level field name');
  return name;
}

function namesIn(filter: Document): string[] {
  return Object.entries(filter).flatMap(([key, condition]) =>
    key.startsWith('$') && Array.isArray(condition)
      ? condition.flatMap((clause) => namesIn(clause as Document))
      : [key.split('.')[0] as string],
  );
}
