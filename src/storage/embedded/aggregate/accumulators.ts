import { Decimal128 } from 'bson';
import { CommandError } from '../errors.ts';
import { compileExpression, type Expression, evaluateAccumulator } from '../expression.ts';
import { combine } from '../update/arithmetic.ts';
import { compareValues } from '../value/compare.ts';
import { encodeKey } from '../value/key-encoding.ts';
import { type Document, isDocument } from '../value/types.ts';
import { roughSize } from './stage.ts';

/** One accumulator of one group. `add` says how much memory it took. */
export interface Accumulator {
  add(document: Document): number;
  result(): unknown;
}

export type AccumulatorFactory = () => Accumulator;

class Sum implements Accumulator {
  #total = 0;
  #exact: unknown;
  readonly #value: Expression;

  constructor(value: Expression) {
    this.#value = value;
  }

  add(document: Document): number {
    const value = this.#value(document);
    if (typeof value === 'number') this.#total += value;
    // Longs beyond 2^53 and Decimal128 are summed apart, without rounding.
    else if (typeof value === 'bigint' || value instanceof Decimal128) {
      this.#exact = this.#exact === undefined ? value : combine('add', this.#exact, value);
    }
    return 0;
  }

  result(): unknown {
    return this.#exact === undefined ? this.#total : combine('add', this.#exact, this.#total);
  }
}

class Average implements Accumulator {
  #total = 0;
  #count = 0;
  readonly #value: Expression;

  constructor(value: Expression) {
    this.#value = value;
  }

  add(document: Document): number {
    const value = this.#value(document);
    const number =
      typeof value === 'number'
        ? value
        : typeof value === 'bigint'
          ? Number(value)
          : value instanceof Decimal128
            ? Number(value.toString())
            : null;
    if (number !== null) {
      this.#total += number;
      this.#count += 1;
    }
    return 0;
  }

  result(): unknown {
    return this.#count === 0 ? null : this.#total / this.#count;
  }
}

class Extreme implements Accumulator {
  #best: unknown;
  readonly #value: Expression;
  readonly #sign: number;

  constructor(value: Expression, sign: number) {
    this.#value = value;
    this.#sign = sign;
  }

  add(document: Document): number {
    const value = this.#value(document);
    if (value === undefined || value === null) return 0;
    if (this.#best === undefined || compareValues(value, this.#best) * this.#sign > 0) this.#best = value;
    return 0;
  }

  result(): unknown {
    return this.#best ?? null;
  }
}

class First implements Accumulator {
  #value: unknown = null;
  #seen = false;
  readonly #expression: Expression;

  constructor(expression: Expression) {
    this.#expression = expression;
  }

  add(document: Document): number {
    if (!this.#seen) this.#value = this.#expression(document) ?? null;
    this.#seen = true;
    return 0;
  }

  result(): unknown {
    return this.#value;
  }
}

class Last implements Accumulator {
  #value: unknown = null;
  readonly #expression: Expression;

  constructor(expression: Expression) {
    this.#expression = expression;
  }

  add(document: Document): number {
    this.#value = this.#expression(document) ?? null;
    return 0;
  }

  result(): unknown {
    return this.#value;
  }
}

class Push implements Accumulator {
  readonly #values: unknown[] = [];
  readonly #expression: Expression;

  constructor(expression: Expression) {
    this.#expression = expression;
  }

  add(document: Document): number {
    const value = this.#expression(document);
    if (value === undefined) return 0;
    this.#values.push(value);
    return roughSize(value);
  }

  result(): unknown {
    return this.#values;
  }
}

class AddToSet implements Accumulator {
  readonly #values = new Map<string, unknown>();
  readonly #expression: Expression;

  constructor(expression: Expression) {
    this.#expression = expression;
  }

  add(document: Document): number {
    const value = this.#expression(document);
    if (value === undefined) return 0;
    const key = encodeKey([value], [false]).bytes.toString('latin1');
    if (this.#values.has(key)) return 0;
    this.#values.set(key, value);
    return roughSize(value) + key.length;
  }

  result(): unknown {
    return [...this.#values.values()];
  }
}

class MergeObjects implements Accumulator {
  readonly #merged: Document = {};
  readonly #expression: Expression;

  constructor(expression: Expression) {
    this.#expression = expression;
  }

  add(document: Document): number {
    const value = this.#expression(document);
    if (value === undefined || value === null) return 0;
    if (!isDocument(value)) throw new CommandError(40400, '$mergeObjects requires object inputs');
    Object.assign(this.#merged, value);
    return roughSize(value);
  }

  result(): unknown {
    return this.#merged;
  }
}

/** Any other accumulator: the group's documents are kept and handed over at the end. */
class Collected implements Accumulator {
  readonly #documents: Document[] = [];
  readonly #name: string;
  readonly #argument: unknown;

  constructor(name: string, argument: unknown) {
    this.#name = name;
    this.#argument = argument;
  }

  add(document: Document): number {
    this.#documents.push(document);
    return roughSize(document);
  }

  result(): unknown {
    return evaluateAccumulator(this.#name, this.#argument, this.#documents);
  }
}

const known = new Set([
  '$bottom',
  '$bottomN',
  '$firstN',
  '$lastN',
  '$maxN',
  '$minN',
  '$median',
  '$percentile',
  '$stdDevPop',
  '$stdDevSamp',
  '$top',
  '$topN',
]);

/** Compiles `{ $sum: "$price" }`. */
export function compileAccumulator(name: string, argument: unknown, variables: Document): AccumulatorFactory {
  if (known.has(name)) return () => new Collected(name, argument);
  if (name === '$count') {
    const one = (): number => 1;
    return () => new Sum(one);
  }
  const make = factories[name];
  if (!make) throw new CommandError(15952, `unknown group operator '${name}'`);
  const expression = compileExpression(argument, variables);
  return () => make(expression);
}

const factories: Record<string, (expression: Expression) => Accumulator> = {
  $sum: (expression) => new Sum(expression),
  $avg: (expression) => new Average(expression),
  $min: (expression) => new Extreme(expression, -1),
  $max: (expression) => new Extreme(expression, 1),
  $first: (expression) => new First(expression),
  $last: (expression) => new Last(expression),
  $push: (expression) => new Push(expression),
  $addToSet: (expression) => new AddToSet(expression),
  $mergeObjects: (expression) => new MergeObjects(expression),
};
