import { CommandError } from '../errors.ts';
import { compileExpression, type Expression } from '../expression.ts';
import { memoryExceeded, memoryLimit } from '../query/sort.ts';
import { encodeKey } from '../value/key-encoding.ts';
import { asNumber, type Document, isDocument } from '../value/types.ts';
import { type Accumulator, type AccumulatorFactory, compileAccumulator } from './accumulators.ts';
import { roughSize, type Stage } from './stage.ts';

type Group = { id: unknown; accumulators: Accumulator[] };

/** `$group`, fed document by document; only groups are kept, not documents. */
export class GroupStage implements Stage {
  readonly #id: Expression;
  readonly #names: string[] = [];
  readonly #factories: AccumulatorFactory[] = [];
  readonly #groups = new Map<string | number, Group>();
  readonly #countsOnly: boolean;
  #size = 0;

  constructor(spec: unknown, variables: Document) {
    if (!isDocument(spec)) throw new CommandError(15947, "a group's fields must be specified in an object");
    if (!('_id' in spec)) throw new CommandError(15955, 'a group specification must include an _id');
    const { _id, ...fields } = spec;
    this.#id = compileExpression(_id, variables);
    for (const [name, accumulator] of Object.entries(fields)) this.#addField(name, accumulator, variables);
    const constantId = !isDocument(_id) && !(typeof _id === 'string' && _id.startsWith('$'));
    this.#countsOnly = constantId && Object.values(fields).every(isCount);
    if (this.#countsOnly) this.pushCount = (count) => this.#pushCount(count);
  }

  pushCount?: (count: number) => void;

  #addField(name: string, accumulator: unknown, variables: Document): void {
    if (name.includes('.')) throw new CommandError(40235, `The field name '${name}' cannot contain '.'`);
    if (name.startsWith('$'))
      throw new CommandError(40236, `The field name '${name}' cannot be an operator name`);
    const operators = isDocument(accumulator) ? Object.keys(accumulator) : [];
    const [operator] = operators;
    if (!isDocument(accumulator) || operators.length !== 1 || operator === undefined) {
      throw new CommandError(40234, `The field '${name}' must be an accumulator object`);
    }
    this.#names.push(name);
    this.#factories.push(compileAccumulator(operator, accumulator[operator], variables));
  }

  push(batch: Document[]): Document[] {
    for (const document of batch) {
      const group = this.#groupOf(this.#id(document) ?? null);
      for (const accumulator of group.accumulators) this.#size += accumulator.add(document);
      if (this.#size > memoryLimit) throw memoryExceeded('$group');
    }
    return [];
  }

  #pushCount(count: number): void {
    if (count === 0) return;
    const group = this.#groupOf(this.#id({}) ?? null);
    const counted: Accumulator[] = group.accumulators.map(() => ({ add: () => 0, result: () => count }));
    group.accumulators.splice(0, group.accumulators.length, ...counted);
  }

  #groupOf(id: unknown): Group {
    const key =
      typeof id === 'number'
        ? id
        : typeof id === 'string'
          ? `=${id}`
          : encodeKey([id], [false]).bytes.toString('latin1');
    let group = this.#groups.get(key);
    if (!group) {
      group = { id, accumulators: this.#factories.map((make) => make()) };
      this.#groups.set(key, group);
      this.#size += 100 + roughSize(id) + group.accumulators.length * 64;
    }
    return group;
  }

  finish(): Document[] {
    return [...this.#groups.values()].map(({ id, accumulators }) => {
      const document: Document = { _id: id };
      this.#names.forEach((name, i) => {
        document[name] = accumulators[i]?.result();
      });
      return document;
    });
  }
}

/** True for `{ $sum: 1 }` and `{ $count: {} }`. */
function isCount(accumulator: unknown): boolean {
  if (!isDocument(accumulator)) return false;
  return '$count' in accumulator || asNumber(accumulator.$sum) === 1;
}
