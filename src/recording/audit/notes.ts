import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Db } from 'mongodb';
import type { Logger } from '../../lib/logger.ts';
import { unlessGone } from '../../lib/unless-gone.ts';
import { auditEntriesIn, type ChainHead } from './chain.ts';
import type { AuditNote } from './verification.ts';

/**
 * The newest entry of each chain as this process appended it, in a file beside the database: whoever has the database alone
 * cannot take entries and their head away together without it being seen.
 */
export type AuditNotes = {
  /** Takes a head without waiting; it is in its file a moment later. */
  note(organisationId: string, head: ChainHead): void;
  /** Writes what still waits. */
  stop(): Promise<void>;
};

/** Milliseconds that heads wait, so that a busy chain costs one file a second. */
const INTERVAL_MS = 1000;

export function createAuditNotes(options: { directory: string; db: () => Db; log: Logger }): AuditNotes {
  const { directory, db, log } = options;
  const waiting = new Map<string, ChainHead>();
  /** What the files say as far as this process has written or confirmed it. */
  const confirmed = new Map<string, string>();
  /** Chains that lack the entry which their file names: the file stays as the evidence. */
  const broken = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();

  function schedule(): void {
    timer ??= setTimeout(() => {
      timer = undefined;
      writing = writing.then(writeAll);
    }, INTERVAL_MS).unref();
  }

  async function writeAll(): Promise<void> {
    for (const [organisationId, head] of waiting) {
      try {
        await write(organisationId, head);
        if (waiting.get(organisationId) === head) waiting.delete(organisationId);
      } catch (error) {
        log.warn({ error, organisationId }, 'The newest audit entry could not be noted yet.');
      }
    }
    if (waiting.size > 0) schedule();
  }

  async function write(organisationId: string, head: ChainHead): Promise<void> {
    if (broken.has(organisationId)) return;
    const before = await readNote(directory, organisationId);
    if (before && !(await holds(organisationId, before))) {
      broken.add(organisationId);
      log.error(
        { organisationId, sequence: before.sequence },
        `The audit trail lacks the entry that ${fileOf(directory, organisationId)} names: run npm run audit:verify.`,
      );
      return;
    }
    if (before && before.sequence >= head.sequence) return;
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const part = join(directory, `.${process.pid}`);
    try {
      await writeFile(part, `${textOf(head)}\n`, { mode: 0o600 });
      await rename(part, fileOf(directory, organisationId));
    } catch (error) {
      await rm(part, { force: true });
      throw error;
    }
    confirmed.set(organisationId, textOf(head));
  }

  async function holds(organisationId: string, noted: ChainHead): Promise<boolean> {
    if (confirmed.get(organisationId) === textOf(noted)) return true;
    const { sequence, hash } = noted;
    const entry = await auditEntriesIn(db()).findOne(
      { organisationId, sequence },
      { projection: { hash: 1 } },
    );
    return entry?.hash === hash;
  }

  return {
    note(organisationId, head) {
      waiting.set(organisationId, head);
      schedule();
    },
    async stop() {
      clearTimeout(timer);
      await writing;
      await writeAll();
      clearTimeout(timer);
    },
  };
}

const fileOf = (directory: string, organisationId: string): string =>
  join(directory, encodeURIComponent(organisationId));

const textOf = ({ sequence, hash }: ChainHead): string => `${sequence}:${hash}`;

/** Null where there is none. Throws for a file that says something else. */
async function readNote(directory: string, organisationId: string): Promise<ChainHead | null> {
  const file = fileOf(directory, organisationId);
  const text = await unlessGone(readFile(file, 'utf8'));
  if (text === null) return null;
  const [, sequence, hash] = /^([1-9]\d{0,14}):([0-9a-f]{64})\n$/.exec(text) ?? [];
  if (!sequence || !hash) throw new Error(`${file} is no <sequence>:<hash>.`);
  return { sequence: Number(sequence), hash };
}

/** What the files beside a database say of its chains. */
export async function readAuditNotes(directory: string): Promise<AuditNote[]> {
  const notes: AuditNote[] = [];
  for (const name of (await unlessGone(readdir(directory))) ?? []) {
    const organisationId = decodeURIComponent(name);
    const head = name.startsWith('.') ? null : await readNote(directory, organisationId);
    if (head) notes.push({ organisationId, ...head });
  }
  return notes;
}
