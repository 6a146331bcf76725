import type { DatabaseSync } from 'node:sqlite';
import { StartError } from '../../errors.ts';

/** Marks a file as ours ("embd") and says in which version its tables are laid out. */
const applicationId = 0x656d6264;
const layoutVersion = 1;

/** To be run in the transaction that creates the tables. */
export const markLayout = `PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${layoutVersion};`;

/** Refuses a database file that something else wrote, or a later version of this store; true for a new file. */
export function checkLayout(sqlite: DatabaseSync, path: string): boolean {
  const number = (sql: string): number => Number(Object.values(sqlite.prepare(sql).get() ?? {})[0]);
  const owner = number('PRAGMA application_id');
  const version = number('PRAGMA user_version');
  if (owner === 0 && version === 0 && number('SELECT count(*) FROM sqlite_schema') === 0) return true;
  if (owner !== applicationId)
    throw new StartError(`The file ${path} is an SQLite database of another program.`);
  if (version !== layoutVersion) {
    throw new StartError(
      `The data file ${path} has layout version ${version}, and this version of the store reads version ${layoutVersion} only.`,
    );
  }
  return false;
}
