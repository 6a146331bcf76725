import { tenantFilter } from '../../../auth/index.ts';
import { invalidInput } from '../../../errors/index.ts';
import {
  LOG_BODIES_COLLECTION,
  type LogBodiesPack,
  type LogMessage,
  type LogRecord,
} from '../../../recording/log/record.ts';
import { unpack } from '../../../recording/log/write-logs.ts';
import { nativeDb } from '../../../storage/native-db.ts';
import { boundedRead, orTooSlow } from '../../bounded-read.ts';
import type { GraphContext } from '../../context.ts';
import type { Messages } from './loaders.ts';
import { logModel } from './model.ts';
import { type LogReader, mayOpen } from './visible.ts';

/** Logs that one search looks at. */
const MOST = 10_000;
/** Logs that are searched between two looks at other work, and packs. */
const RECORDS_AT_ONCE = 1000;
const PACKS_AT_ONCE = 8;

/** The members of a log that are searched, and those that lead to its bodies. */
const searched = [
  '_id',
  'traceId',
  'spanId',
  'spanName',
  'apiKeyId',
  'userId',
  'requestUrl',
  'source',
  'aiModel',
  'providerSlug',
  'configSlug',
  'error',
  'metadata',
] as const satisfies readonly (keyof LogRecord)[];

type Searched = Pick<LogRecord, (typeof searched)[number] | 'bodiesId'>;

/** Where is searched, and for whom. */
export type Searching = Pick<GraphContext, 'db' | 'signal'> & { principal: LogReader | null };

/** The ids of the logs that `query` finds and that have the text; throws VALIDATION_FAILED where the query finds too many. */
export async function searchedIds(
  context: Searching,
  query: object,
  text: string,
  param = 'filters.search',
): Promise<string[]> {
  const model = logModel(context.db);
  const count = await orTooSlow(model.countDocuments(query, { ...boundedRead, limit: MOST + 1 }).exec());
  if (count > MOST) {
    throw invalidInput(
      param,
      `A search looks at ${MOST} logs at most, and more pass the other filters; narrow them, above all by time.`,
    );
  }
  const projection = Object.fromEntries([...searched, 'bodiesId'].map((name) => [name, 1 as const]));
  const records = await orTooSlow(model.find(query, projection, boundedRead).lean<Searched[]>().exec());
  return [...(await idsWithText(context, records, text))];
}

/** The ids of those among the logs that have the text, in whatever case. */
export async function idsWithText(
  context: Searching,
  records: readonly Searched[],
  text: string,
): Promise<Set<string>> {
  const wanted = text.toLowerCase();
  const found = new Set<string>();
  for (let start = 0; start < records.length; start += RECORDS_AT_ONCE) {
    for (const record of records.slice(start, start + RECORDS_AT_ONCE)) {
      if (recordHas(record, wanted)) found.add(record._id);
    }
    await aTurn();
  }
  const { principal } = context;
  if (!principal) return found;
  const others = records.filter((record) => !found.has(record._id) && mayOpen(principal, record));
  for (const id of await idsWithBody(context, principal, others, wanted)) found.add(id);
  return found;
}

/** Lets other requests have their turn. */
const aTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const recordHas = (record: Searched, wanted: string): boolean =>
  searched.some((name) => {
    const value = record[name];
    if (typeof value === 'string') return value.toLowerCase().includes(wanted);
    return Object.entries(value ?? {}).some((pair) =>
      pair.some((part) => part.toLowerCase().includes(wanted)),
    );
  });

async function idsWithBody(
  { db, signal }: Searching,
  principal: LogReader,
  records: readonly Searched[],
  wanted: string,
): Promise<string[]> {
  const byPack = Map.groupBy(records, ({ bodiesId }) => bodiesId);
  const ids = [...byPack.keys()].filter((id) => id !== null);
  const packs = nativeDb(db).collection<LogBodiesPack>(LOG_BODIES_COLLECTION);
  const found: string[] = [];
  for (let start = 0; start < ids.length; start += PACKS_AT_ONCE) {
    signal?.throwIfAborted();
    const some = { ...tenantFilter(principal), _id: { $in: ids.slice(start, start + PACKS_AT_ONCE) } };
    for (const pack of await orTooSlow(packs.find(some, boundedRead).toArray())) {
      const logs = unpack(pack);
      for (const { _id } of byPack.get(pack._id) ?? []) if (bodiesHave(logs[_id], wanted)) found.push(_id);
      await aTurn();
    }
  }
  return found;
}

function bodiesHave(messages: Messages | undefined, wanted: string): boolean {
  const all: (LogMessage | null | undefined)[] = Object.values(messages ?? {});
  return all.some((message) => message?.body?.toLowerCase().includes(wanted));
}
