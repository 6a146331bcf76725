import type { Db } from 'mongodb';
import { isDuplicateBatch } from '../../storage/duplicates.ts';
import { type Delta, later, type RollupPart } from './delta.ts';
import {
  decodeRows,
  encodeRows,
  ROLLUPS_COLLECTION,
  type RollupDocument,
  type RollupPlace,
} from './document.ts';
import { EVERY_KEY, type Facet } from './facets.ts';
import { giveUp, mergeRows, type Rows } from './rows.ts';

/** What one batch of a writer adds to roll-ups. */
export type NumberedDelta = { writer: string; number: number; delta: Delta };

type NumberedPart = { writer: string; number: number; part: RollupPart };

/** A roll-up document as it is in the store, its rows decoded. */
type State = Pick<RollupDocument, 'version' | 'marks' | 'expiresAt'> & { rows: Rows; given: Set<string> };

/** Documents as this writer left them, by id, so that they need not be read again. */
export type Known = Map<string, State>;

/** Characters of rows and histograms beyond which a document gives all of them up. */
const MOST_TEXT = 2 * 1024 * 1024;
/** Documents that are written at the same time. */
const AT_ONCE = 16;

export const rollupsIn = (db: Db) => db.collection<RollupDocument>(ROLLUPS_COLLECTION);

/**
 * Brings batches into the roll-ups, each exactly once, however often it is tried and whoever else tries: a document
 * notes, in the same write as the sums, the number of the writer's last batch in it, and takes only later ones. The
 * batches of a writer must come in their order. A write in between by anybody else makes this one begin anew.
 */
export async function applyDeltas(db: Db, deltas: readonly NumberedDelta[], known: Known): Promise<void> {
  const parts = deltas.flatMap(({ writer, number, delta }) =>
    [...delta.values()].map((part): NumberedPart => ({ writer, number, part })),
  );
  const documents = [...Map.groupBy(parts, ({ part }) => part.id)];
  for (let start = 0; start < documents.length; start += AT_ONCE) {
    const some = documents.slice(start, start + AT_ONCE);
    await Promise.all(some.map(([id, additions]) => applyToDocument(db, id, additions, known)));
  }
}

async function applyToDocument(db: Db, id: string, parts: NumberedPart[], known: Known): Promise<void> {
  const place = parts[0]?.part.place;
  if (!place) return;
  for (;;) {
    const state = known.get(id) ?? (await read(db, id));
    // Merging changes the state; only one that was written is the store's.
    known.delete(id);
    const missing = parts.filter(({ writer, number }) => number > (state.marks[writer] ?? 0));
    for (const { writer, number, part } of missing) {
      mergeRows(place.facet, state.rows, state.given, part.rows);
      state.expiresAt = state.version === 0 ? part.expiresAt : later(state.expiresAt, part.expiresAt);
      state.marks[writer] = number;
    }
    if (missing.length > 0 && !(await write(db, id, place, state))) continue;
    known.set(id, state);
    return;
  }
}

async function read(db: Db, id: string): Promise<State> {
  const stored = await rollupsIn(db).findOne({ _id: id });
  if (!stored) return { version: 0, marks: {}, expiresAt: null, rows: new Map(), given: new Set() };
  const { version, marks, expiresAt, given } = stored;
  return { version, marks, expiresAt, rows: decodeRows(stored), given: new Set(given) };
}

function encode(facet: Facet, { rows, given }: State): ReturnType<typeof encodeRows> {
  const encoded = encodeRows(facet, rows);
  if (encoded.rows.length + (encoded.latencies?.length ?? 0) <= MOST_TEXT) return encoded;
  giveUp(facet, rows, given, EVERY_KEY);
  return encodeRows(facet, rows);
}

/** False when somebody else wrote the document in between. */
async function write(db: Db, _id: string, place: RollupPlace, state: State): Promise<boolean> {
  const { version, marks, expiresAt, given } = state;
  const encoded = encode(place.facet, state);
  const next = {
    ...place,
    expiresAt,
    version: version + 1,
    marks,
    given: [...given],
    ...encoded,
  };
  if (version > 0) {
    const { matchedCount } = await rollupsIn(db).replaceOne({ _id, version }, next);
    if (matchedCount === 0) return false;
  } else {
    try {
      await rollupsIn(db).insertOne({ _id, ...next });
    } catch (error) {
      if (isDuplicateBatch(error)) return false;
      throw error;
    }
  }
  state.version++;
  return true;
}
