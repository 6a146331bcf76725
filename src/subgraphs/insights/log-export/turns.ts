import type { Connection } from 'mongoose';
import { type LogExportDocument, logExportModel } from './model.ts';

/** Organisations that wait for the others after a turn. */
const REMEMBERED = 100;

export type Waiting = Pick<LogExportDocument, '_id' | 'organisationId'>;

export type Turns = {
  /**
   * The export that this process should write next, oldest first; null when none may be begun. Of an organisation that has one
   * being written here, none may; who had a turn waits for the others.
   */
  next(): Promise<Waiting | null>;
  begin(waiting: Waiting): void;
  end(waiting: Waiting): void;
  /** Leaves an export alone until `lookAgain`: another process writes it, or it could not be written. */
  skip(waiting: Waiting): void;
  lookAgain(): void;
};

/** Takes the organisations whose exports wait in turn, so that the many or large ones of one do not hold up the others. */
export function createTurns(db: Connection): Turns {
  const writing = new Set<string>();
  const served = new Set<string>();
  const elsewhere = new Set<string>();

  const oldest = (notOf: Iterable<string>) =>
    logExportModel(db)
      .findOne(
        { status: 'in_progress', organisationId: { $nin: [...notOf] }, _id: { $nin: [...elsewhere] } },
        { organisationId: 1 },
      )
      .sort({ startedAt: 1 })
      .lean<Waiting>();

  return {
    async next() {
      const found = await oldest(new Set([...writing, ...served]));
      if (found || served.size === 0) return found;
      const again = await oldest(writing);
      if (again) served.clear();
      return again;
    },
    begin({ organisationId }) {
      writing.add(organisationId);
      served.add(organisationId);
      const [first] = served;
      if (served.size > REMEMBERED && first !== undefined) served.delete(first);
    },
    end({ organisationId }) {
      writing.delete(organisationId);
    },
    skip({ _id }) {
      elsewhere.add(_id);
    },
    lookAgain() {
      elsewhere.clear();
    },
  };
}
