import type { CheckedCall, Phase } from '../check.ts';
import type { GuardedCheck, PreparedGuardrail } from '../prepare.ts';
import { type FoundSegment, inScope, type Placeholders, type TextView } from '../segments/index.ts';
import type { CheckedBody } from './checked-body.ts';
import { type CheckHouse, type Examined, examine } from './examine.ts';
import { lazyViews } from './locally.ts';
import { blankCheckResult, type HookResult } from './results.ts';
import { GuardrailTurn } from './turn.ts';

/** A phase of one call. */
export type PhaseRun = {
  readonly phase: Phase;
  /** Of the config, the workspace and the organisation, in this order: nobody's edit is undone by those before it. */
  readonly guardrails: readonly PreparedGuardrail[];
  readonly body: CheckedBody;
  /** What checks may know of the call, with its bodies as they are at that moment. */
  readonly callOf: () => CheckedCall;
  readonly placeholders: Placeholders;
  readonly house: CheckHouse;
  readonly caller: Caller;
};

/** Who waits for a phase. */
export type Caller = {
  /** Whether the caller is gone. */
  readonly happened: boolean;
  /** Aborted when the caller is gone. It is asked for only where a check needs it, since signals are dear. */
  readonly signal: AbortSignal;
};

/** Waits to the end. */
const nobody: Caller = {
  happened: false,
  get signal() {
    return new AbortController().signal;
  },
};

/** What a phase came to. */
export type PhaseOutcome = {
  /** Of all guardrails that the call waited for, in their order. */
  readonly results: readonly HookResult[];
  /** The one that refuses the call; null for none. */
  readonly denial: PreparedGuardrail | null;
  /** One failed, whether it refuses or not. */
  readonly hasFailed: boolean;
  /** Headers that the provider gets besides. */
  readonly headers: Readonly<Record<string, string>>;
  /** Of those that the call does not wait for; null where there are none. */
  readonly later: Promise<readonly HookResult[]> | null;
};

/**
 * Runs the guardrails of a phase: checks of the call itself, then all that edits, one after another, then all other checks
 * side by side on what the edits left. The first refusal ends the phase.
 */
export async function runPhase(run: PhaseRun): Promise<PhaseOutcome> {
  const waited = run.guardrails.filter(({ isAsync }) => !isAsync);
  const later = run.guardrails.length > waited.length ? runLater(run) : null;
  const phase = new RunningPhase(run, waited);
  await phase.run();
  const results = phase.turns.map((turn) => turn.result());
  return {
    results,
    denial: phase.turns.find(({ denies }) => denies)?.guardrail ?? null,
    hasFailed: phase.turns.some(({ hasFailed }) => hasFailed),
    headers: phase.headers,
    later,
  };
}

/** What nobody waits for sees the texts as they came, changes nothing, and ends with its own time limits. */
async function runLater(run: PhaseRun): Promise<readonly HookResult[]> {
  const guardrails = run.guardrails.filter(({ isAsync }) => isAsync);
  const phase = new RunningPhase({ ...run, guardrails, caller: nobody }, guardrails, { edits: false });
  await phase.run();
  return phase.turns.map((turn) => turn.result());
}

class RunningPhase {
  readonly turns: readonly GuardrailTurn[];
  readonly headers: Record<string, string> = {};
  readonly #run: PhaseRun;
  readonly #edits: boolean;
  /** Whether what still runs is cut off. */
  #isCut = false;
  #abort: AbortController | null = null;
  #signal: AbortSignal | null = null;
  /** Made anew when the body changes. */
  #scopes = new Map<string, Scoped>();
  #call: CheckedCall | null = null;

  constructor(run: PhaseRun, guardrails: readonly PreparedGuardrail[], { edits } = { edits: true }) {
    this.#run = run;
    this.#edits = edits;
    this.turns = guardrails.map((guardrail) => new GuardrailTurn(guardrail));
  }

  /** For checks that wait for something. */
  get signal(): AbortSignal {
    this.#abort ??= new AbortController();
    this.#signal ??= AbortSignal.any([this.#run.caller.signal, this.#abort.signal]);
    if (this.#isCut) this.#abort.abort();
    return this.#signal;
  }

  #cut(): void {
    this.#isCut = true;
    this.#abort?.abort();
  }

  async run(): Promise<void> {
    try {
      for (const step of RunningPhase.#steps) {
        const running = step(this);
        if (running) await running;
      }
    } finally {
      this.#cut();
    }
  }

  /** In their order. A step answers what there is to wait for: most checks wait for nothing. */
  static readonly #steps: readonly ((phase: RunningPhase) => Promise<unknown> | undefined)[] = [
    (phase) => phase.#each((_turn, { check }) => check.readsCallOnly),
    (phase) => phase.#judgeUnreadable(),
    (phase) =>
      phase.#each(({ guardrail }, check) => (guardrail.isSequential ? guardrail.mayEdit : check.mayEdit)),
    (phase) => phase.#each((_turn, { check }) => !check.isRemote),
    (phase) => phase.#rest(),
  ];

  get #isOver(): boolean {
    return this.#run.caller.happened || this.turns.some(({ denies }) => denies);
  }

  /** Runs the checks that are wanted now and have no result, one after another. */
  #each(isWanted: (turn: GuardrailTurn, check: GuardedCheck) => boolean): Promise<void> | undefined {
    for (const turn of this.turns) {
      for (const check of turn.guardrail.checks) {
        if (!turn.mayRun(check) || !isWanted(turn, check)) continue;
        if (this.#isOver) return;
        const running = this.#one(turn, check);
        if (running) return running.then(() => this.#each(isWanted));
      }
    }
  }

  /** What is left asks somebody: side by side, but for what is to be in order. */
  #rest(): Promise<unknown> | undefined {
    if (this.#isOver || this.turns.every(({ left }) => left.length === 0)) return;
    const running = this.turns.flatMap((turn) =>
      turn.guardrail.isSequential
        ? [this.#inOrder(turn)]
        : turn.left.map(async (check) => {
            await this.#one(turn, check);
            this.#stopWhenOver();
          }),
    );
    return Promise.all(running);
  }

  async #inOrder(turn: GuardrailTurn): Promise<void> {
    for (const check of turn.left) {
      if (this.#isOver) return;
      await this.#one(turn, check);
    }
    this.#stopWhenOver();
  }

  #stopWhenOver(): void {
    if (this.#isOver) this.#cut();
  }

  /** Waits only for a check that waits itself. */
  #one(turn: GuardrailTurn, check: GuardedCheck): Promise<void> | undefined {
    const { phase, house, callOf } = this.#run;
    const { choices } = this.#scoped(check);
    this.#call ??= callOf();
    const call = this.#call;
    const examined = choices.map(({ segments, views }) =>
      examine(check, { phase, call, running: this, segments, views }, house),
    );
    if (examined.some((one) => one instanceof Promise))
      return Promise.all(examined).then((all) => this.#take(turn, check, all));
    this.#take(turn, check, examined as Examined[]);
  }

  #take(turn: GuardrailTurn, check: GuardedCheck, examined: readonly Examined[]): void {
    // A check that was cut off by a refusal has not judged.
    if (this.#isCut && examined.some(({ result }) => result.error)) return;
    this.#settle(turn, check, examined);
  }

  #settle(turn: GuardrailTurn, check: GuardedCheck, examined: readonly Examined[]): void {
    const { body, placeholders } = this.#run;
    const edits = examined.flatMap((one) => one.edits);
    const whole = examined.find((one) => one.body !== undefined)?.body;
    for (const one of examined) Object.assign(this.headers, one.headers);
    let isTransformed = false;
    if (this.#edits && edits.length > 0) isTransformed = body.edit(edits, placeholders);
    if (this.#edits && whole !== undefined) {
      body.replace(whole);
      isTransformed = true;
    }
    if (isTransformed) {
      this.#scopes = new Map();
      this.#call = null;
    }
    for (const { result } of examined) {
      result.transformed = isTransformed;
      turn.note(check, result);
    }
  }

  /** Where texts cannot be read, no check of texts can pass: it is an error, and a refusal where that is asked for. */
  #judgeUnreadable(): undefined {
    const { unreadable } = this.#run.body.texts;
    if (unreadable === null) return;
    for (const turn of this.turns) {
      const isRefused = turn.guardrail.onUnreadable === 'deny';
      for (const check of turn.left) {
        const result = blankCheckResult(check, Date.now());
        result.error = { name: 'Unreadable', message: `The body cannot be checked: ${unreadable}.` };
        result.fail_on_error ||= isRefused;
        turn.note(check, result);
      }
    }
  }

  #scoped(check: GuardedCheck): Scoped {
    const { body, phase } = this.#run;
    const scope = phase === 'output' ? 'all' : check.scope;
    let scoped = this.#scopes.get(scope);
    if (!scoped) {
      scoped = scopedTexts(inScope(body.texts, scope));
      this.#scopes.set(scope, scoped);
    }
    return scoped;
  }
}

/** The texts of each choice of an answer: each is judged for itself. */
type Scoped = {
  choices: readonly { segments: readonly FoundSegment[]; views: () => readonly TextView[] }[];
};

function scopedTexts(segments: readonly FoundSegment[]): Scoped {
  const byChoice = new Map<number, FoundSegment[]>();
  for (const segment of segments) {
    const known = byChoice.get(segment.choice);
    if (known) known.push(segment);
    else byChoice.set(segment.choice, [segment]);
  }
  const lists = byChoice.size === 0 ? [[]] : [...byChoice.values()];
  return { choices: lists.map((list) => ({ segments: list, views: lazyViews(list) })) };
}
