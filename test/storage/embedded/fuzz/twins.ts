import { type Document, EJSON } from 'bson';
import type { AggregateOptions, Collection, Db, FindOptions } from 'mongodb';
import { document, type Mix, scalar } from './documents.ts';
import { expectedMatches } from './match-oracle.ts';
import { compareBson } from './order-oracle.ts';
import { filter, type IndexDefinition, indexSet, type Query, query } from './queries.ts';
import type { Random } from './random.ts';

type Ejson = Record<string, any>;
type Answer = { found: Ejson[] } | { refused: number | string };

const canonical = (value: Document): Ejson => EJSON.serialize(value, { relaxed: false }) as Ejson;
const same = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right);
const sizeOfData = 120;
const atOnce = 12;

/** An answer in a form that can be compared; a refusal counts as one. */
async function answer(run: () => Promise<Document[]>): Promise<Answer> {
  try {
    return { found: (await run()).map(canonical) };
  } catch (error) {
    const { code, message } = error as { code?: unknown; message: string };
    return { refused: Number(code) || message };
  }
}

/** Found documents by their ids, unless they have none or are told apart by something else. */
function shown(value: unknown): string {
  const found = (value as { found?: Ejson[] }).found;
  const ids = found?.map(({ _id }) => _id?.$numberInt);
  return ids?.every((id) => id !== undefined) ? `ids ${ids.join(' ')}` : JSON.stringify(value);
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
  readonly #indexes: IndexDefinition[];
  #documents: Ejson[] = [];
  #asked = 0;
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
    const [before, after] = [this.#indexes.slice(0, 2), this.#indexes.slice(2)];
    for (const { key, options } of before) await this.#indexed.createIndex(key, options);
    for (const { key, options } of after) if (options.unique) await this.#indexed.createIndex(key, options);
    for (let _id = 0; _id < sizeOfData; _id++) {
      await this.#both(
        'insert',
        (collection, one) => collection.insertOne(one),
        document(this.#random, this.#mix, _id),
      );
    }
    // An index that the documents do not allow (two arrays side by side) is left out.
    for (const { key, options } of after) await this.#indexed.createIndex(key, options).catch(() => null);
    await this.#read();
  }

  async #read(): Promise<void> {
    this.#documents = (await this.#plain.find().toArray()).map(canonical);
  }

  /** Does the same to both; what the indexes refuse is not done to the other, and must not have been done at all. */
  async #both(
    what: string,
    run: (collection: Collection<any>, argument: any) => Promise<unknown>,
    argument: unknown,
  ): Promise<void> {
    const left = await run(this.#indexed, argument).catch((error) => error);
    if (left instanceof Error && [171, 11000].includes(Number((left as { code?: unknown }).code))) return;
    const right = await run(this.#plain, argument).catch((error) => error);
    const strip = (result: unknown): unknown =>
      result instanceof Error ? Number((result as { code?: unknown }).code) : canonical({ result }).result;
    if (!same(strip(left), strip(right)))
      this.#differ(what, { argument }, { indexed: strip(left), plain: strip(right) });
  }

  #differ(what: string, question: Document, answers: Document): void {
    this.mismatches.push(
      [
        `${this.#label}, number ${this.#asked}: ${what}`,
        `question: ${EJSON.stringify(question, { relaxed: false })}`,
        ...Object.entries(answers).map(([name, value]) => `${name}: ${shown(value)}`),
        `indexes: ${EJSON.stringify(this.#indexes)}`,
      ].join('\n'),
    );
  }

  /** Asks that many random questions, several at a time. */
  async ask(count: number): Promise<void> {
    for (let left = count; left > 0; left -= atOnce) {
      const questions = Array.from({ length: Math.min(left, atOnce) }, () => query(this.#random, this.#mix));
      await Promise.all(questions.map((question) => this.#compare(question)));
    }
  }

  async #compare(question: Query): Promise<void> {
    const number = this.#asked++;
    const [left, right] = await Promise.all([
      this.#find(this.#indexed, question),
      this.#find(this.#plain, question),
    ]);
    if (!same(left, right)) this.#differ('find', question, { indexed: left, plain: right });
    this.#judge(question, right);
    const extra = [this.#hinted, this.#counted, this.#distinct, this.#grouped, this.#paged][number % 6];
    if (extra && 'found' in right) await extra.call(this, question, right.found);
  }

  #find(collection: Collection<any>, question: Query, options: FindOptions = {}): Promise<Answer> {
    const { filter: source, sort, skip, limit, projection, collation } = question;
    const chosen = {
      sort: sort.map(([path, direction]) => [path, direction]) as any,
      skip,
      limit,
      projection,
    };
    return answer(() =>
      collection.find(source, { ...chosen, ...(collation ? { collation } : {}), ...options }).toArray(),
    );
  }

  /** What the manual says, where the oracle knows it. */
  #judge({ filter: source, sort, skip, limit, projection, collation }: Query, right: Answer): void {
    if (collation || 'refused' in right || projection._id === 0) return;
    const expected = expectedMatches(this.#documents, canonical(source), sort);
    if (!expected) return;
    this.judged += 1;
    const ids = (documents: Ejson[]): number[] => documents.map(({ _id }) => Number(_id.$numberInt));
    const wanted = ids(expected.slice(skip, limit > 0 ? skip + limit : undefined));
    if (same(wanted, ids(right.found))) return;
    const given = ids(right.found);
    this.#differ(
      'oracle',
      { filter: source, sort, skip, limit },
      {
        oracle: wanted,
        server: ids(right.found),
        documents: this.#documents.filter(
          ({ _id }) => wanted.includes(Number(_id.$numberInt)) !== given.includes(Number(_id.$numberInt)),
        ),
      },
    );
  }

  /** By another path: in natural order, or through an index that leaves nothing out. */
  async #hinted(question: Query, expected: Ejson[]): Promise<void> {
    const whole = this.#indexes.filter(({ options }) => !options.sparse);
    const existing = await this.#indexed.indexes();
    const usable = whole.filter(({ options }) => existing.some(({ name }) => name === options.name));
    const hints = ['_id_', { $natural: 1 as const }, ...usable.map(({ options }) => String(options.name))];
    const hint = this.#random.pick(hints);
    const found = await this.#find(this.#indexed, question, { hint });
    if (!same(found, { found: expected }))
      this.#differ('hint', { ...question, hint }, { hinted: found, plain: expected });
  }

  async #counted({ filter: source, skip, limit, collation }: Query): Promise<void> {
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
    if (new Set(counts.map(Number)).size !== 1)
      this.#differ('count', { filter: source, ...options }, { counts });
  }

  /** The same values; which of several equal ones is given depends on the order of reading. */
  async #distinct({ filter: source, collation }: Query): Promise<void> {
    const key = this.#random.pick(['a', 'b', 'c.d', 's']);
    const [left = [], right = []] = await Promise.all(
      [this.#indexed, this.#plain].map(async (collection) =>
        canonical(await collection.distinct(key, source, collation ? { collation } : {})).toSorted(
          compareBson,
        ),
      ),
    );
    const equal =
      left.length === right.length &&
      (collation || left.every((value: unknown, i: number) => compareBson(value, right[i]) === 0));
    if (!equal) this.#differ('distinct', { key, filter: source, collation }, { indexed: left, plain: right });
  }

  async #grouped({ filter: source }: Query): Promise<void> {
    const path = this.#random.pick(['$a', '$b', '$s']);
    const stages = this.#random.chance(0.8)
      ? [{ $group: { _id: path, count: { $sum: 1 }, sum: { $sum: '$n' } } }]
      : [{ $count: 'n' }];
    const pipeline = [{ $match: source }, ...stages];
    const [left, right] = await Promise.all([
      this.#aggregate(this.#indexed, pipeline),
      this.#aggregate(this.#plain, pipeline),
    ]);
    const equal =
      left.length === right.length &&
      left.every((group, i) => compareBson(Object.values(group), Object.values(right[i] as Ejson)) === 0);
    if (!equal) this.#differ('group', { pipeline }, { indexed: left, plain: right });
  }

  async #paged({ filter: source, sort, skip, limit, collation }: Query): Promise<void> {
    const pipeline = [
      { $match: source },
      { $sort: Object.fromEntries(sort) },
      ...(skip ? [{ $skip: skip }] : []),
      ...(limit ? [{ $limit: limit }] : []),
    ];
    const options = collation ? { collation } : {};
    const run = (collection: Collection<any>): Promise<Answer> =>
      answer(() => collection.aggregate(pipeline, options).toArray());
    const [left, right] = await Promise.all([run(this.#indexed), run(this.#plain)]);
    if (!same(left, right))
      this.#differ('aggregate', { pipeline, collation }, { indexed: left, plain: right });
  }

  async #aggregate(
    collection: Collection<any>,
    pipeline: Document[],
    options: AggregateOptions = {},
  ): Promise<Ejson[]> {
    const groups = await collection.aggregate(pipeline, options).toArray();
    return groups.map(canonical).sort((left, right) => compareBson(left._id, right._id));
  }

  /** Changes both in the same way, document by document and many at once. */
  async change(count: number): Promise<void> {
    const random = this.#random;
    for (let i = 0; i < count; i++) await this.#changeOnce(random.below(10), random.below(sizeOfData));
    await this.#read();
    await this.#verifyIndexes();
  }

  async #changeOnce(kind: number, _id: number): Promise<void> {
    const [random, mix] = [this.#random, this.#mix];
    const source = filter(random, mix);
    const field = random.pick(['a', 'b', 's', 'c']);
    if (kind < 5) {
      const replacement = document(random, mix, _id);
      await this.#both('replace', (collection, one) => collection.replaceOne({ _id }, one), replacement);
    } else if (kind === 5) {
      await this.#both(
        'insert',
        (collection, one) => collection.insertOne(one),
        document(random, mix, sizeOfData + this.#asked++),
      );
    } else if (kind === 6) {
      await this.#both('delete one', (collection) => collection.deleteOne({ _id }), null);
    } else if (kind === 7) {
      const change = { $set: { [field]: scalar(random, mix) }, $inc: { n: 1 } };
      await this.#both('update many', (collection) => collection.updateMany(source, change), null);
    } else if (kind === 8) {
      const few = { $and: [source, { _id: { $gte: _id, $lt: _id + 8 } }] };
      await this.#both('delete many', (collection) => collection.deleteMany(few), null);
    } else {
      const change = { $set: { [field]: scalar(random, mix) } };
      const options = {
        sort: { a: 1, _id: 1 },
        returnDocument: 'after',
        includeResultMetadata: false,
      } as const;
      await this.#both(
        'find and update',
        (collection) => collection.findOneAndUpdate(source, change, options),
        null,
      );
    }
  }

  /** Read from end to end, each index gives every document that belongs into it, and in its order. */
  async #verifyIndexes(): Promise<void> {
    for (const { name, key, sparse, partialFilterExpression, collation } of await this.#indexed.indexes()) {
      const source = partialFilterExpression ?? {};
      const options = collation ? { collation } : {};
      const through = await this.#indexed.find(source, { ...options, hint: String(name) }).toArray();
      const present = { $or: Object.keys(key).map((path) => ({ [path]: { $exists: true } })) };
      const expected = await this.#plain.find(sparse ? present : source, options).toArray();
      const ids = (documents: Document[]): unknown[] =>
        documents.map(({ _id }) => Number(_id)).sort((left, right) => left - right);
      if (!same(ids(through), ids(expected)))
        this.#differ('index', { name, key, sparse }, { index: ids(through), scan: ids(expected) });
    }
  }
}
