import { CommandError } from '../errors.ts';
import { compareValues } from '../value/compare.ts';
import { type Document, isDocument } from '../value/types.ts';

/** Writes `$bucket` as the `$group` that it stands for: the _id is the lower bound of the bucket. */
export function bucketAsGroup(spec: unknown): Document {
  if (!isDocument(spec)) throw new CommandError(40201, 'Argument to $bucket stage must be an object');
  const { groupBy, boundaries, output = { count: { $sum: 1 } } } = spec;
  if (!Array.isArray(boundaries) || boundaries.length < 2) {
    throw new CommandError(40192, "The $bucket 'boundaries' field must have at least 2 values");
  }
  if (!isDocument(output)) throw new CommandError(40196, "The $bucket 'output' field must be an object");
  const branches = boundaries.slice(0, -1).map((lower, i) => {
    const upper: unknown = boundaries[i + 1];
    if (compareValues(lower, upper) >= 0) {
      throw new CommandError(
        40194,
        "The 'boundaries' option to $bucket must be sorted, but elements are not in order",
      );
    }
    const inside = [{ $gte: [groupBy, { $literal: lower }] }, { $lt: [groupBy, { $literal: upper }] }];
    return Object.fromEntries([
      ['case', { $and: inside }],
      ['then', { $literal: lower }],
    ]);
  });
  const otherwise = 'default' in spec ? { default: { $literal: spec.default } } : {};
  return { _id: { $switch: { branches, ...otherwise } }, ...output };
}
