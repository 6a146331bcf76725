import { MongoClient } from 'mongodb';
import type { VectorSegmentDocument, VectorStoreFileDocument } from '../../src/knowledge/documents.ts';
import type { Caller } from './caller.ts';

/** A file that was brought, and a word that stands in it alone; null for one that cannot be read. */
export type Brought = { id: string; word: string | null };

type Listed = { id: string; status: string; last_error: { code: string } | null };
type Page = { data: Listed[]; has_more: boolean; last_id: string };
type Counts = { total: number; completed: number; failed: number; in_progress: number; cancelled: number };
type Found = { data: { file_id: string; content: { text: string }[] }[] };

/** What of the store's files is not as it must be, as callers see it. */
export async function faultsSeen(
  caller: Caller,
  storeId: string,
  brought: readonly Brought[],
): Promise<string[]> {
  const faults: string[] = [];
  const { file_counts: counts } = await caller.get<{ file_counts: Counts }>(`/vector_stores/${storeId}`);
  const readable = brought.filter(({ word }) => word !== null).length;
  const expected = {
    ...{ total: brought.length, completed: readable, failed: brought.length - readable },
    ...{ in_progress: 0, cancelled: 0 },
  };
  for (const [name, count] of Object.entries(expected))
    if (counts[name as keyof Counts] !== count)
      faults.push(
        `The store counts ${counts[name as keyof Counts]} files as ${name}, and there are ${count}.`,
      );
  const listed = await listedIn(caller, storeId);
  if (listed.length !== brought.length)
    faults.push(`${listed.length} of ${brought.length} files are listed.`);
  const byId = new Map(listed.map((file) => [file.id, file]));
  for (const { id, word } of brought) {
    const { status = 'missing', last_error: error = null } = byId.get(id) ?? {};
    const isRight = word === null ? status === 'failed' && error !== null : status === 'completed';
    if (!isRight) faults.push(`${id} is ${status}: ${JSON.stringify(error)}.`);
  }
  return faults;
}

async function listedIn(caller: Caller, storeId: string): Promise<Listed[]> {
  const all: Listed[] = [];
  for (let after = ''; ; ) {
    const page = await caller.get<Page>(`/vector_stores/${storeId}/files?limit=100${after}`);
    all.push(...page.data);
    if (!page.has_more) return all;
    after = `&after=${page.last_id}`;
  }
}

/** Words by which a search does not find their files, or finds a piece of text twice. */
export async function faultsInSearch(
  caller: Caller,
  storeId: string,
  brought: readonly Brought[],
): Promise<string[]> {
  const faults: string[] = [];
  for (const { id, word } of brought) {
    if (word === null) continue;
    const { data } = await caller.post<Found>(`/vector_stores/${storeId}/search`, { query: word });
    const pieces = data.filter((found) => found.file_id === id).map(({ content }) => content[0]?.text);
    if (pieces.length === 0) faults.push(`A search for ${word} does not find ${id}.`);
    if (new Set(pieces).size !== pieces.length)
      faults.push(`A search for ${word} finds a text of ${id} twice.`);
  }
  return faults;
}

/** What of the files and their segments is not as it must be in the database. */
export async function faultsStored(uri: string, storeId: string): Promise<string[]> {
  const client = await MongoClient.connect(uri);
  try {
    const db = client.db();
    const files = await db
      .collection<VectorStoreFileDocument>('vector_store_files')
      .find({ storeId })
      .toArray();
    const segments = await db
      .collection<VectorSegmentDocument>('vector_segments')
      .find({ storeId }, { projection: { fileId: 1, generation: 1, provisionalUntil: 1 } })
      .toArray();
    const byFile = Map.groupBy(segments, ({ fileId }) => fileId);
    return files.flatMap(({ fileId, status, owner, leaseUntil, generation }) => {
      const own = byFile.get(fileId) ?? [];
      const faults: string[] = [];
      if (owner !== null || leaseUntil !== null) faults.push(`${fileId} is ${status}, and still claimed.`);
      if (own.some((segment) => segment.generation !== generation))
        faults.push(`${fileId} has segments of a process that lost it.`);
      if (own.some((segment) => segment.provisionalUntil !== undefined))
        faults.push(`${fileId} has segments that go by themselves.`);
      if (status === 'completed' && own.length === 0) faults.push(`${fileId} has no segments.`);
      return faults;
    });
  } finally {
    await client.close();
  }
}
