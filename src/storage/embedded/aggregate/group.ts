import { CommandError } from '../errors.ts';
import { type Accumulator, type Keep, parseAccumulator } from '../expression/accumulators.ts';
import { compileExpression, type Expression } from '../expression/expression.ts';
import { compareValues } from '../value/compare.ts';
import { equalityKey } from '../value/key-encoding.ts';
import { asNumber, type Document, expectDocument, isDocument } from '../value/types.ts';
import { type Batches, inBatches, metered, type Stage } from './stage.ts';

/** Compiles `$group`. */
export function groupStage(source: unknown, variables: Document): Stage {
  const spec = expectDocument(source, 15947, "a group's fields must be specified in an object");
  if (!('_id' in spec)) throw new CommandError(15955, 'a group specification must include an _id');
  const { _id, ...fields } = spec;
  return groupBy(compileExpression(_id, variables), fields, variables);
}

/** Compiles `$bucket`: a group by the lower bound of the bucket in which a value lies. */
export function bucketStage(source: unknown, variables: Document): Stage {
  const spec = expectDocument(source, 40201, 'Argument to $bucket stage must be an object');
  const { groupBy: given, boundaries, output = { count: { $sum: 1 } }, default: other, ...unknown } = spec;
  const [option] = Object.keys(unknown);
  if (option) throw new CommandError(40197, `Unrecognized option to $bucket: ${option}.`);
  if (!Array.isArray(boundaries) || boundaries.length < 2)
    throw new CommandError(40192, "The $bucket 'boundaries' field must have at least 2 values");
  if (boundaries.some((bound, i) => i > 0 && compareValues(boundaries[i - 1], bound) >= 0))
    throw new CommandError(
      40194,
      "The 'boundaries' option to $bucket must be sorted, but elements are not in order",
    );
  const value = compileExpression(given, variables);
  const lowerBound = (document: Document): unknown => {
    const found = value(document) ?? null;
    const at = boundaries.findLastIndex((bound) => compareValues(found, bound) >= 0);
    if (at >= 0 && at < boundaries.length - 1) return boundaries[at];
    if ('default' in spec) return other;
    throw new CommandError(
      40066,
      '$bucket could not find a matching bucket for an input, and no default was specified',
    );
  };
  return groupBy(
    lowerBound,
    expectDocument(output, 40196, "The $bucket 'output' field must be an object"),
    variables,
  );
}

type Field = { name: string; value: Expression; accumulator: Accumulator };

/** Groups documents as they come; only the groups are kept, not the documents. */
export function groupBy(idOf: Expression, outputs: Document, variables: Document): Stage {
  const fields = Object.entries(outputs).map(([name, output]) => compileField(name, output, variables));
  const run = async function* (source: Batches, keep: Keep): AsyncGenerator<Document[]> {
    const groups = new Map<string | number, { id: unknown; states: unknown[] }>();
    for await (const batch of source) {
      for (const document of batch) {
        const id = idOf(document) ?? null;
        const key = equalityKey(id);
        let group = groups.get(key);
        if (!group) {
          keep(id, 100 + fields.length * 64);
          group = { id, states: fields.map(({ accumulator }) => accumulator.start()) };
          groups.set(key, group);
        }
        const { states } = group;
        for (let i = 0; i < states.length; i++) {
          const { accumulator, value } = fields[i] as Field;
          states[i] = accumulator.add(states[i], value(document), keep);
        }
      }
    }
    for (const batch of inBatches(groups.values()))
      yield batch.map(({ id, states }) => {
        const result: Document = { _id: id };
        fields.forEach(({ name, accumulator }, i) => {
          result[name] = accumulator.result(states[i]);
        });
        return result;
      });
  };
  return (source) => metered('$group', (keep) => run(source, keep));
}

function compileField(name: string, output: unknown, variables: Document): Field {
  if (name.includes('.')) throw new CommandError(40235, `The field name '${name}' cannot contain '.'`);
  if (name.startsWith('$'))
    throw new CommandError(40236, `The field name '${name}' cannot be an operator name`);
  const [operator, ...more] = isDocument(output) ? Object.entries(output) : [];
  if (!operator || more.length > 0)
    throw new CommandError(40234, `The field '${name}' must be an accumulator object`);
  const { accumulator, input } = parseAccumulator(operator[0], operator[1]);
  return { name, accumulator, value: compileExpression(input, variables) };
}

/** For stages that only count: what they give for a number of documents, so that none needs to be read. */
export function countingStage(stage: Document): ((count: number) => Document[]) | null {
  const { $count, $group } = stage;
  if (typeof $count === 'string') return (count) => (count === 0 ? [] : [{ [$count]: count }]);
  if (!isDocument($group)) return null;
  const { _id = null, ...fields } = $group;
  const constant = typeof _id === 'string' ? !_id.startsWith('$') : typeof _id !== 'object' || _id === null;
  if (!constant || !Object.values(fields).every(isCount)) return null;
  const names = Object.keys(fields);
  return (count) => (count === 0 ? [] : [{ _id, ...Object.fromEntries(names.map((name) => [name, count])) }]);
}

/** True for `{ $sum: 1 }` and `{ $count: {} }`. */
const isCount = (output: unknown): boolean =>
  isDocument(output) && ('$count' in output || asNumber(output.$sum) === 1);
