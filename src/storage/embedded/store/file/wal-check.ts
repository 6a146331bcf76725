import { statSync } from 'node:fs';
import { StartError } from '../../errors.ts';
import { type Bound, boundPath, readBound } from './acknowledged.ts';
import { readWal, type WalContent } from './wal-file.ts';

/**
 * Refuses to open a database whose write-ahead log lost acknowledged commits. To be called before SQLite opens the
 * file, because SQLite would go on from the last frame that it can read and overwrite the rest.
 */
export function checkWal(database: string): void {
  const log = `${database}-wal`;
  if (isEmpty(database) && !isEmpty(log)) {
    throw new StartError(
      `The data file ${database} is missing or empty although its write-ahead log ${log} is there; restore a backup, or delete the log to start with nothing.`,
    );
  }
  const bound = readBound(database);
  if (!bound) return;
  const content = readWal(log, bound.frames);
  const problem = findProblem(database, content, bound);
  if (!problem) return;
  const found = problem === 'is not the one last written' ? 0 : (content?.frames ?? 0);
  throw new StartError(
    `The write-ahead log ${log} ${problem}: of ${bound.frames} frames with acknowledged writes ${found} can be read; ${advice(database, bound, found)}.`,
  );
}

function findProblem(database: string, content: WalContent | null, bound: Bound): string | null {
  if (!content) return wasCopied(database, bound) ? null : 'is missing or empty';
  if (!content.salts) return 'has a damaged header';
  if (content.salts.equals(bound.salts)) {
    return content.frames >= bound.frames ? null : 'is damaged or cut short';
  }
  return isLater(content.salts, bound.salts) ? null : 'is not the one last written';
}

/**
 * When the last connection closes, SQLite copies the log to the data file and removes it, also when the program just
 * ended or when it was another program. Only this writes to the data file after the last note: a checkpoint during the
 * run comes before the note of its commit.
 */
function wasCopied(database: string, { frames, checkpointed }: Bound): boolean {
  return checkpointed >= frames || modified(database) >= modified(boundPath(database));
}

const modified = (path: string): bigint => statSync(path, { bigint: true }).mtimeNs;

/**
 * SQLite adds 1 to the first salt each time it starts the log anew, which it does only after it has copied all of it
 * to the data file and synced that. A process killed between that and the next note leaves exactly this.
 */
function isLater(salts: Buffer, than: Buffer): boolean {
  const distance = (salts.readUInt32BE(0) - than.readUInt32BE(0)) >>> 0;
  return distance > 0 && distance < 0x80000000;
}

/** A data file that is ahead of what the log still shows would be mixed with older pages. */
function advice(database: string, { frames, checkpointed }: Bound, found: number): string {
  const side = boundPath(database);
  if (checkpointed >= frames) return `all of it is in the data file too, so delete the log and ${side}`;
  if (checkpointed > found) return 'restore a backup';
  return `restore a backup, or delete ${side} to go on without the lost writes`;
}

function isEmpty(path: string): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0;
}
