import type { CheckedBody, PhaseOutcome } from '../../guardrails/engine/index.ts';
import type { PreparedGuardrail } from '../../guardrails/index.ts';
import type { Placeholders } from '../../guardrails/segments/index.ts';
import type { Lane } from '../../guardrails/stream/index.ts';

/** Runs guardrails of the output on a text. */
export type RunOutput = (
  guardrails: readonly PreparedGuardrail[],
  body: CheckedBody,
) => Promise<PhaseOutcome>;

/** Judges texts while more of them comes, and releases what nothing that is still to come can change. */
export class LaneJudge {
  /** Those that judge before anything is sent. */
  readonly enforcing: readonly PreparedGuardrail[];
  /** Those that look at what was sent. */
  readonly reporting: readonly PreparedGuardrail[];
  readonly #placeholders: Placeholders;
  readonly #run: RunOutput;
  /** Characters over which a match may reach; infinite where everything is held. */
  readonly #reach: number;
  readonly #doubts = new Map<Lane, number>();

  constructor(output: readonly PreparedGuardrail[], placeholders: Placeholders, run: RunOutput) {
    const enforces = ({ stream, isAsync }: PreparedGuardrail) => stream !== 'report' && !isAsync;
    this.enforcing = output.filter(enforces);
    this.reporting = output.filter((guardrail) => !enforces(guardrail));
    this.#placeholders = placeholders;
    this.#run = run;
    this.#reach = reachOf(this.enforcing);
  }

  /** `isFinal`: nothing is still to come. Null where nothing was judged for good. A denied text is not released. */
  async judge(lane: Lane, isFinal: boolean): Promise<PhaseOutcome | null> {
    if (this.enforcing.length === 0) {
      this.release(lane);
      return null;
    }
    const to = isFinal ? lane.end : lane.judgeable(this.#reach);
    if (to === null) return null;
    const body = lane.window(to);
    const outcome = await this.#run(this.enforcing, body);
    if (outcome.denial && !isFinal && this.#mayVanish(lane, to)) return null;
    if (outcome.denial) return outcome;
    this.#doubts.delete(lane);
    lane.release(to, body.spans, isFinal ? 0 : this.#reach, this.#placeholders);
    return outcome;
  }

  /** Lets a text go on as it is. */
  release(lane: Lane): void {
    lane.release(lane.end, [], 0, this.#placeholders);
  }

  /** What is found at the end of a text may be another thing once more has come: it is judged again, and nothing sent. */
  #mayVanish(lane: Lane, to: number): boolean {
    const since = this.#doubts.get(lane);
    if (since === undefined) this.#doubts.set(lane, to);
    return since === undefined || to - since < this.#reach;
  }
}

/** The longest reach of all checks; without one, everything is held. */
function reachOf(guardrails: readonly PreparedGuardrail[]): number {
  let longest = 1;
  for (const { stream, checks } of guardrails)
    for (const { reach } of checks)
      longest = Math.max(
        longest,
        stream === 'hold' ? Number.POSITIVE_INFINITY : (reach ?? Number.POSITIVE_INFINITY),
      );
  return longest;
}
