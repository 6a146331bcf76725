import { rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** Changes with the tables: an index of another form is made anew. */
const FORM = 2;

/** How FTS5 makes the forms of words: what is asked for is made like what is stored. */
export const WORD_FORMS = "tokenize='porter unicode61'";

const TABLES = `
  CREATE TABLE file (id INTEGER PRIMARY KEY, file_id TEXT NOT NULL UNIQUE, version TEXT NOT NULL,
    filename TEXT NOT NULL, attributes TEXT NOT NULL);
  CREATE TABLE attribute (file INTEGER NOT NULL, key TEXT NOT NULL, kind TEXT NOT NULL, value NOT NULL,
    PRIMARY KEY (file, key)) WITHOUT ROWID;
  CREATE TABLE chunk (id INTEGER PRIMARY KEY, file INTEGER NOT NULL, start INTEGER NOT NULL,
    "end" INTEGER NOT NULL, text TEXT NOT NULL);
  CREATE INDEX chunk_file ON chunk (file);
  CREATE TABLE segment (first INTEGER PRIMARY KEY, file INTEGER NOT NULL, count INTEGER NOT NULL,
    dimensions INTEGER NOT NULL, vectors BLOB NOT NULL, scales BLOB NOT NULL,
    lengths BLOB NOT NULL);
  CREATE INDEX segment_file ON segment (file);
  CREATE VIRTUAL TABLE words USING fts5 (text, content='', contentless_delete=1, ${WORD_FORMS});
  PRAGMA user_version = ${FORM};
`;

/** The file of an index. One that cannot be read, or has another form, is made anew: nothing in it is the only copy. */
export function openIndex(path: string): DatabaseSync {
  try {
    return opened(path);
  } catch {
    removeIndex(path);
    return opened(path);
  }
}

function opened(path: string): DatabaseSync {
  const database = new DatabaseSync(path);
  try {
    // A crash of the machine may spoil the file; it is checked below, and made anew.
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA cache_size = -16384;');
    // Texts that were deleted are overwritten: who has them erased must not find them in free pages of the file.
    database.exec('PRAGMA secure_delete = ON;');
    const { user_version: form } = database.prepare('PRAGMA user_version').get() as { user_version: number };
    if (form === 0) database.exec(`BEGIN; ${TABLES} COMMIT;`);
    else if (form !== FORM) throw new Error(`The index has the form ${form}.`);
    const { quick_check: health } = database.prepare('PRAGMA quick_check(1)').get() as {
      quick_check: string;
    };
    if (health !== 'ok') throw new Error(health);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

export function removeIndex(path: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${path}${suffix}`, { force: true });
}
