import { type Document, deserialize, EJSON } from 'bson';
import type { AggregateOptions, Collection, Db, FindOptions } from 'mongodb';
import { document, type Mix, scalar } from './documents.ts';
import { expectedMatches } from './match-oracle.ts';
import { compareBson } from './order-oracle.ts';
import { filter, type IndexDefinition, indexSet, type Query, query } from './queries.ts';
import type { Random } from './random.ts';

type Ejson = Record<string, any>;
type Answer = { found: Buffer[] } | { refused: number | string };
type Runner = (collection: Collection<any>) => Promise<unknown>;

const sizeOfData = 120;
const atOnce = 12;

const canonical = (value: Document): Ejson => EJSON.serialize(value, { relaxed: false }) as Ejson;
const decoded = (bytes: Buffer): Ejson => canonical(deserialize(bytes, { promoteValues: false }));
const same = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right);
const codeOf = (error: unknown): number => Number((error as { code?: unknown }).code);
const idOf = ({ _id }: Ejson): number => Number(_id?.$numberInt);
const ids = (answer: Answer): number[] =>
  'found' in answer ? answer.found.map((bytes) => idOf(decoded(bytes))) : [];

/** An answer as the bytes that came; a refusal counts as one. */
async function answer(run: () => Promise<Document[]>): Promise<Answer> {
  try {
    return { found: (await run()) as Buffer[] };
  } catch (error) {
    return { refused: codeOf(error) || (error as Error).message };
  }
}

function sameAnswer(left: Answer, right: Answer): boolean {
  if ('refused' in left || 'refused' in right) return same(left, right);
  return (
    left.found.length === right.found.length &&
    left.found.every((bytes, i) => bytes.equals(right.found[i] as Buffer))
  );
}

/** Found documents by their ids, unless they have none. */
function shown(value: unknown): string {
  const { found } = value as { found?: Buffer[] };
  if (!found) return JSON.stringify(value);
  const documents = found.map(decoded);
  const identified = documents.every(({ _id }) => _id !== undefined);
  return identified ? `ids ${documents.map(idOf).join(' ')}` : JSON.stringify(documents);
}

/**
 * The same random documents in two collections, one with indexes and one without, and beside them the oracle: whatever
 * is asked, all must give the same answer. What differs is kept in `mismatches`.
 */
export class Twins {
  readonly mismatches: string[] = [];
  readonly #random: Random;
  readonly #mix: Mix;
  readonly #label: string;
  readonly #indexed: Collection<any>;
  readonly #plain: Collection<any>;
  #indexes: IndexDefinition[];
  #documents: Ejson[] = [];
  #asked = 0;
  #nextId = 0;
  /** The number of answers that the oracle had an opinion on. */
  judged = 0;

  constructor(db: Db, random: Random, mix: Mix, label: string) {
    this.#random = random;
    this.#mix = mix;
    this.#label = label;
    this.#indexed = db.collection(`${label} indexed`, { promoteValues: false });
    this.#plain = db.collection(`${label} plain`, { promoteValues: false });
    this.#indexes = indexSet(random);
  }

  /** Some indexes exist before the documents, the others are built over them. */
  async fill(): Promise<void> {
    const accepted: IndexDefinition[] = [];
    const create = async (definition: IndexDefinition): Promise<void> => {
      const { key, options } = definition;
      const refusal = await this.#indexed.createIndex(key, options).then(() => null, codeOf);
      if (refusal === null) accepted.push(definition);
      // Two arrays side by side are refused in documents, so an index over them is too.
      else if (refusal !== 171) this.#differ('index', { key, options }, { refusal });
    };
    for (const definition of this.#indexes.slice(0, 3)) await create(definition);
    for (let i = 0; i < sizeOfData; i++) await this.#insert();
    for (const definition of this.#indexes.slice(3)) await create(definition);
    this.#indexes = accepted;
    await this.#read();
  }

  async #insert(): Promise<void> {
    const one = document(this.#random, this.#mix, this.#nextId++);
    await this.#both('insert', one, (collection) => collection.insertOne(one));
  }

  async #read(): Promise<void> {
    this.#documents = (await this.#plain.find().toArray()).map(canonical);
  }

  /** Does the same to both; what a unique or compound index refuses must not have been done at all. */
  async #both(what: string, change: Document, run: Runner): Promise<void> {
    const attempt = (collection: Collection<any>): Promise<Ejson> =>
      run(collection).then(
        (result) => canonical({ result }),
        (error) => ({ refused: codeOf(error) }),
      );
    const left = await attempt(this.#indexed);
    if ([171, 11000].includes(left.refused)) return;
    const right = await attempt(this.#plain);
    if (!same(left, right)) this.#differ(what, change, { indexed: left, plain: right });
  }

  #differ(what: string, question: Document, answers: Document): void {
    this.mismatches.push(
      [
        `${this.#label}, number ${question.number ?? this.#asked}: ${what}`,
        `question: ${EJSON.stringify(question, { relaxed: false })}`,
        ...Object.entries(answers).map(([name, value]) => `${name}: ${shown(value)}`),
        `indexes: ${EJSON.stringify(this.#indexes)}`,
      ].join('\n'),
    );
  }

  /** Asks that many random questions, several at a time. */
  async ask(count: number): Promise<void> {
    for (let left = count; left > 0; left -= atOnce) {
      const questions = Array.from({ length: Math.min(left, atOnce) }, () =>
        query(this.#random, this.#mix, this.#asked++),
      );
      await Promise.all(questions.map((question) => this.#compare(question)));
    }
  }

  async #compare(question: Query): Promise<void> {
    const [left, right] = await Promise.all([
      this.#find(this.#indexed, question),
      this.#find(this.#plain, question),
    ]);
    if (!sameAnswer(left, right)) {
      const [inLeft, inRight] = [ids(left), ids(right)];
      const documents = this.#documents.filter(
        (one) => inLeft.includes(idOf(one)) !== inRight.includes(idOf(one)),
      );
      this.#differ('find', question, { indexed: left, plain: right, documents });
    }
    if ('refused' in right) return;
    this.#judge(question, right);
    const further = [this.#hinted, this.#hinted, this.#counted, this.#distinct, this.#grouped, this.#paged];
    await further[question.number % 12]?.call(this, question, right);
  }

  #find(collection: Collection<any>, question: Query, options: FindOptions = {}): Promise<Answer> {
    const { filter: source, sort, skip, limit, projection, collation } = question;
    const order = sort.map(([path, direction]): [string, 1 | -1] => [path, direction]);
    const chosen = { sort: order, skip, limit, projection, raw: true, ...options };
    return answer(() => collection.find(source, collation ? { ...chosen, collation } : chosen).toArray());
  }

  /** What the manual says, where the oracle knows it. */
  #judge(question: Query, given: Answer): void {
    const { filter: source, sort, skip, limit, projection, collation } = question;
    if (collation || projection._id === 0) return;
    const expected = expectedMatches(this.#documents, canonical(source), sort);
    if (!expected) return;
    this.judged += 1;
    const wanted = expected.slice(skip, limit > 0 ? skip + limit : undefined).map(idOf);
    const actual = ids(given);
    if (same(wanted, actual)) return;
    const documents = this.#documents.filter(
      (one) => wanted.includes(idOf(one)) !== actual.includes(idOf(one)),
    );
    this.#differ('oracle', question, { oracle: wanted, server: actual, documents });
  }

  /** By another path: in natural order, or through an index that leaves nothing out. */
  async #hinted(question: Query, expected: Answer): Promise<void> {
    const whole = this.#indexes.filter(({ options }) => !options.sparse);
    const hints = ['_id_', { $natural: 1 as const }, ...whole.map(({ options }) => String(options.name))];
    const hint = hints[question.choice % hints.length] ?? '_id_';
    const found = await this.#find(this.#indexed, question, { hint });
    if (!sameAnswer(found, expected))
      this.#differ('hint', { ...question, hint }, { hinted: found, plain: expected });
  }

  async #counted(question: Query): Promise<void> {
    const { filter: source, skip, limit, collation } = question;
    const options = {
      ...(skip ? { skip } : {}),
      ...(limit ? { limit } : {}),
      ...(collation ? { collation } : {}),
    };
    const counts = await Promise.all(
      [this.#indexed, this.#plain].flatMap((collection) => [
        collection.countDocuments(source, options),
        collection.count(source, options),
      ]),
    );
    if (new Set(counts.map(Number)).size !== 1) this.#differ('count', question, { counts });
  }

  /** The same values; which of several equal ones is given depends on the order of reading. */
  async #distinct(question: Query): Promise<void> {
    const { filter: source, collation, choice } = question;
    const key = ['a', 'b', 'c.d', 's'][choice % 4] ?? 'a';
    const [left = [], right = []] = await Promise.all(
      [this.#indexed, this.#plain].map(async (collection) => {
        const values = await collection.distinct(key, source, collation ? { collation } : {});
        return canonical(values).toSorted(compareBson) as unknown[];
      }),
    );
    const equal = collation ? left.length === right.length : compareBson(left, right) === 0;
    if (!equal) this.#differ('distinct', { ...question, key }, { indexed: left, plain: right });
  }

  async #grouped(question: Query): Promise<void> {
    const { filter: source, choice } = question;
    const grouping = { _id: ['$a', '$b', '$s'][choice % 3], count: { $sum: 1 }, sum: { $sum: '$n' } };
    const pipeline = [{ $match: source }, choice % 5 === 0 ? { $count: 'n' } : { $group: grouping }];
    const groups = async (collection: Collection<any>): Promise<Ejson[]> => {
      const found = (await collection.aggregate(pipeline).toArray()).map(canonical);
      return found.sort((left, right) => compareBson(left._id, right._id));
    };
    const [left, right] = await Promise.all([groups(this.#indexed), groups(this.#plain)]);
    if (compareBson(left, right) !== 0) this.#differ('group', { pipeline }, { indexed: left, plain: right });
  }

  async #paged(question: Query): Promise<void> {
    const { filter: source, sort, skip, limit, collation } = question;
    const pipeline = [
      { $match: source },
      { $sort: Object.fromEntries(sort) },
      ...(skip ? [{ $skip: skip }] : []),
      ...(limit ? [{ $limit: limit }] : []),
    ];
    const options: AggregateOptions = { raw: true, ...(collation ? { collation } : {}) };
    const run = (collection: Collection<any>): Promise<Answer> =>
      answer(() => collection.aggregate(pipeline, options).toArray());
    const [left, right] = await Promise.all([run(this.#indexed), run(this.#plain)]);
    if (!sameAnswer(left, right)) this.#differ('aggregate', question, { indexed: left, plain: right });
  }

  /** Changes both in the same way, document by document and many at once. */
  async change(count: number): Promise<void> {
    for (let i = 0; i < count; i++) await this.#changeOnce();
    await this.#read();
    await this.#verifyIndexes();
  }

  async #changeOnce(): Promise<void> {
    const [random, mix] = [this.#random, this.#mix];
    const _id = random.below(sizeOfData);
    const source = filter(random, mix);
    const set = { $set: { [random.pick(['a', 'b', 's', 'c'])]: scalar(random, mix) } };
    const first = { sort: { a: 1, _id: 1 }, returnDocument: 'after', includeResultMetadata: false } as const;
    const few = { $and: [source, { _id: { $gte: _id, $lt: _id + 8 } }] };
    const replacement = document(random, mix, _id);
    const replace = () =>
      this.#both('replace', replacement, (collection) => collection.replaceOne({ _id }, replacement));
    await random.weighted([
      [5, replace],
      [1, () => this.#insert()],
      [1, () => this.#both('delete one', { _id }, (collection) => collection.deleteOne({ _id }))],
      [1, () => this.#both('delete many', few, (collection) => collection.deleteMany(few))],
      [1, () => this.#both('update many', { source, set }, (items) => items.updateMany(source, set))],
      [1, () => this.#both('find, update', { source, set }, (it) => it.findOneAndUpdate(source, set, first))],
    ]);
  }

  /** Read from end to end, each index gives exactly the documents that belong into it. */
  async #verifyIndexes(): Promise<void> {
    for (const { key, options } of this.#indexes) {
      const { name, sparse, partialFilterExpression: partial = {}, collation } = options;
      const compared = collation ? { collation } : {};
      const present = { $or: Object.keys(key).map((path) => ({ [path]: { $exists: true } })) };
      const through = await this.#indexed.find(partial, { ...compared, hint: name, raw: true }).toArray();
      const expected = await this.#plain
        .find(sparse ? present : partial, { ...compared, raw: true })
        .toArray();
      const sorted = (found: Buffer[]): number[] => ids({ found }).sort((left, right) => left - right);
      const [left, right] = [sorted(through as any), sorted(expected as any)];
      if (!same(left, right)) this.#differ('index', { key, options }, { index: left, scan: right });
    }
  }
}
