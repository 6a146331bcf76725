import type { CheckedBody, PhaseOutcome } from '../../guardrails/engine/index.ts';
import type { GuardedCheck, PreparedGuardrail } from '../../guardrails/index.ts';
import type { Placeholders } from '../../guardrails/segments/index.ts';
import {
  contextOf,
  cutsOf,
  type HeldBack,
  HOLD_NOTHING,
  type Lane,
  pieceEnd,
  type WindowBody,
} from '../../guardrails/stream/index.ts';

/** Runs guardrails of the output on a text. */
export type RunOutput = (
  guardrails: readonly PreparedGuardrail[],
  body: CheckedBody,
) => Promise<PhaseOutcome>;

/** Judges texts while more of them comes, and releases what nothing that is still to come can change. */
export class LaneJudge {
  /** Those that judge before anything is sent. */
  readonly enforcing: readonly PreparedGuardrail[];
  /** Of those, what looks for characters, and what asks about sentences once these are done. */
  readonly #near: readonly PreparedGuardrail[];
  readonly #byPieces: readonly PreparedGuardrail[];
  readonly #asked = new Set<Lane>();
  /** Those that look at what was sent. */
  readonly reporting: readonly PreparedGuardrail[];
  readonly #placeholders: Placeholders;
  readonly #run: RunOutput;
  /** Characters over which a match may reach: of all checks, and of those that do not say where a text can be cut. */
  readonly #reach: number;
  readonly #nearReach: number;
  readonly #cuts: readonly NonNullable<GuardedCheck['cut']>[];
  readonly #doubts = new Map<Lane, number>();

  constructor(output: readonly PreparedGuardrail[], placeholders: Placeholders, run: RunOutput) {
    const enforces = ({ stream, isAsync }: PreparedGuardrail) => stream !== 'report' && !isAsync;
    this.enforcing = output.filter(enforces);
    this.reporting = output.filter((guardrail) => !enforces(guardrail));
    this.#placeholders = placeholders;
    this.#run = run;
    this.#byPieces = this.enforcing.filter(({ stream, byPieces }) => byPieces && stream === 'window');
    this.#near = this.enforcing.filter((guardrail) => !this.#byPieces.includes(guardrail));
    this.#reach = reachOf(this.#near);
    this.#nearReach = reachOf(this.#near, ({ cut }) => cut === null);
    this.#cuts = this.#near.flatMap(({ checks }) => checks.flatMap(({ cut }) => cut ?? []));
  }

  /** What was judged for good. `isFinal`: nothing is still to come. A denied text may not be sent. */
  async judge(lane: Lane, isFinal: boolean): Promise<PhaseOutcome[]> {
    if (this.enforcing.length === 0) {
      this.release(lane);
      return [];
    }
    const near = await this.#judgeNear(lane, isFinal);
    if (near?.denial) return [near];
    const piece = await this.#judgePiece(lane, isFinal);
    return [near, piece].filter((outcome) => outcome !== null);
  }

  async #judgeNear(lane: Lane, isFinal: boolean): Promise<PhaseOutcome | null> {
    const to = isFinal ? lane.end : lane.judgeable(this.#nearReach);
    if (to === null) return null;
    const body = lane.window(to);
    const hold = isFinal ? HOLD_NOTHING : this.#holdOf(body, to);
    if (this.#near.length === 0) {
      lane.release(to, [], hold, this.#placeholders);
      return null;
    }
    const outcome = await this.#run(this.#near, body);
    if (outcome.denial && !isFinal && this.#mayVanish(lane, to)) return null;
    if (outcome.denial) return outcome;
    this.#doubts.delete(lane);
    lane.release(to, body.spans, hold, this.#placeholders);
    return outcome;
  }

  #holdOf(body: WindowBody, to: number): HeldBack {
    const cuts = this.#cuts.length === 0 ? HOLD_NOTHING : cutsOf(body, to, this.#cuts);
    return { reach: this.#reach, near: this.#nearReach, cut: cuts.cut, undivided: cuts.undivided };
  }

  async #judgePiece(lane: Lane, isFinal: boolean): Promise<PhaseOutcome | null> {
    if (this.#byPieces.length === 0) {
      lane.approve(lane.released);
      return null;
    }
    const text = lane.unapproved;
    const length = isFinal ? text.length : pieceEnd(text);
    if (length === null || (length === 0 && this.#asked.has(lane))) return null;
    this.#asked.add(lane);
    const to = lane.wholeEnd(lane.approved + length);
    const outcome = await this.#run(this.#byPieces, lane.piece(to));
    if (!outcome.denial) lane.approve(to, contextOf(text));
    return outcome;
  }

  /** Lets a text go on as it is. */
  release(lane: Lane): void {
    lane.release(lane.end, [], HOLD_NOTHING, this.#placeholders);
    lane.approve(lane.end);
  }

  /** What is found at the end of a text may be another thing once more has come: it is judged again, and nothing sent. */
  #mayVanish(lane: Lane, to: number): boolean {
    const since = this.#doubts.get(lane);
    if (since === undefined) this.#doubts.set(lane, to);
    return since === undefined || to - since < this.#reach;
  }
}

/** The longest reach of checks; infinite where one of them needs the whole text. */
function reachOf(
  guardrails: readonly PreparedGuardrail[],
  isMeant: (check: GuardedCheck) => boolean = () => true,
): number {
  let longest = 0;
  for (const { stream, checks } of guardrails)
    for (const check of checks) {
      if (stream === 'hold') return Number.POSITIVE_INFINITY;
      if (isMeant(check)) longest = Math.max(longest, check.reach ?? Number.POSITIVE_INFINITY);
    }
  return longest;
}
