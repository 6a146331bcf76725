import type { Collection } from 'mongodb';
import { GatewayError } from '../../errors/index.ts';
import type { Logger } from '../../lib/logger.ts';
import { duplicateIndexes, isDuplicateBatch } from '../../storage/duplicates.ts';
import type { Secrets } from '../../storage/secrets.ts';
import type { VerdictDocument } from '../session/index.ts';
import { refused } from './formats/format.ts';
import type { Verdict } from './verdicts.ts';

/** What became of one call that waited: whether it was made, and what the model is told. */
export type CallResult = { text: string; isError: boolean; isMade: boolean };

/** Sees to it that a verdict comes to one call, whichever processes the requests with it come to. */
export type VerdictUses = {
  /**
   * Takes verdicts, all of them or none. Answers what came of those that came before at the same place of the same conversation, by
   * their uuids. Throws a GatewayError for one that came at another place, or of which the outcome is not known.
   */
  take(verdicts: readonly Verdict[]): Promise<ReadonlyMap<string, readonly CallResult[]>>;
  /** Keeps what came of one. */
  keep(verdict: Verdict, results: readonly CallResult[]): Promise<void>;
};

/** Milliseconds for which a use is known beyond the time of its request: the clock of the store may be ahead. */
const MARGIN_MS = 3_600_000;

/** Uses of the verdicts of an organisation. */
export const createVerdictUses =
  (uses: () => Collection<VerdictDocument>, secrets: Pick<Secrets, 'encrypt' | 'decrypt'>, log: Logger) =>
  (organisationId: string): VerdictUses => {
    const resultsOf = (verdict: Verdict, { _id, place, sealed }: VerdictDocument): CallResult[] => {
      if (place !== verdict.place) throw usedBefore(verdict);
      if (sealed === null) throw outcomeUnknown(verdict);
      return JSON.parse(secrets.decrypt(sealed, _id)) as CallResult[];
    };

    async function claim(verdicts: readonly Verdict[]): Promise<void> {
      if (verdicts.length === 0) return;
      const documents = verdicts.map(({ uuid, place, until }) => ({
        ...{ _id: uuid, organisationId, place, sealed: null },
        expiresAt: new Date(until + MARGIN_MS),
      }));
      try {
        await uses().insertMany(documents);
      } catch (error) {
        const [at] = isDuplicateBatch(error) ? duplicateIndexes(error) : [];
        const taken = at === undefined ? undefined : verdicts[at];
        if (!taken) throw error;
        // Another request was faster: those before it are free for whoever comes again.
        await uses().deleteMany({ _id: { $in: verdicts.slice(0, at).map(({ uuid }) => uuid) } });
        throw outcomeUnknown(taken);
      }
    }

    return {
      async take(all) {
        // Of those whose time is over no call is made.
        const verdicts = all.filter(({ isOver }) => !isOver);
        if (verdicts.length === 0) return new Map();
        const found = await uses()
          .find({ _id: { $in: verdicts.map(({ uuid }) => uuid) }, organisationId })
          .toArray();
        const earlier = new Map(found.map((use) => [use._id, use]));
        const results = new Map<string, CallResult[]>();
        for (const verdict of verdicts) {
          const use = earlier.get(verdict.uuid);
          if (use) results.set(verdict.uuid, resultsOf(verdict, use));
        }
        await claim(verdicts.filter(({ uuid }) => !earlier.has(uuid)));
        return results;
      },
      async keep({ uuid, isOver }, results) {
        if (isOver) return;
        const sealed = secrets.encrypt(JSON.stringify(results), uuid);
        try {
          await uses().updateOne({ _id: uuid }, { $set: { sealed } });
        } catch (error) {
          // The caller gets its answer; the same request that comes again hears that nobody knows what came of it.
          log.warn({ error }, 'The results of a call that was approved could not be kept.');
        }
      },
    };
  };

const usedBefore = ({ param }: Verdict): GatewayError =>
  refused(param, `${param} is of a request for approval that was answered before, which counts once.`);

const outcomeUnknown = ({ param }: Verdict): GatewayError =>
  new GatewayError('IN_PROGRESS', {
    message: `An earlier request with the same ${param} has begun the call, and what came of it is not known yet.`,
    param,
  });
