import { inNameOf } from '../../dataplane/guardrails/callers.ts';
import type { LegGuardrails } from '../../dataplane/guardrails/leg-guardrails.ts';
import { loggedGuardrails } from '../../dataplane/guardrails/logged.ts';
import type { CheckedCall } from '../../guardrails/check.ts';
import { type CheckHouse, type HookResult, runPhase } from '../../guardrails/engine/index.ts';
import type { Phase, PreparedGuardrail } from '../../guardrails/index.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { McpVisit } from '../exchange/visit.ts';
import type { McpServerRecord } from '../snapshot/index.ts';
import { type FindTexts, LeafBody } from './leaf-body.ts';

/** Who says something to which server, as checks get to know it. */
export type GuardedExchange = {
  readonly visit: Omit<McpVisit, 'era' | 'version'>;
  readonly server: McpServerRecord;
  /** The name of the tool or prompt, or the address of the resource; null for what is about none. */
  readonly subject: string | null;
  /** Whether nobody waits any more. */
  readonly isOver: boolean;
};

/** What became of something that was said: as it may go on, or what refuses it. */
export type Judged = { value: JsonObject; denial: null } | { value: null; denial: PreparedGuardrail };

/** The guardrails of one exchange with a server, and what they came to so far. */
export class ExchangeGuards {
  /** Checks that nobody waits for but the log. */
  readonly later: Promise<void>[] = [];
  readonly #leg: LegGuardrails;
  readonly #house: CheckHouse;
  readonly #late: { phase: Phase; results: readonly HookResult[] }[] = [];

  constructor(leg: LegGuardrails, house: CheckHouse) {
    this.#leg = leg;
    this.#house = house;
  }

  /** Whether what a server says is looked at, so that nothing of it may pass unseen. */
  get seesAnswers(): boolean {
    return this.#leg.output.length > 0;
  }

  /** For the log. */
  get logged(): string {
    return loggedGuardrails(this.#leg, this.#late);
  }

  /** Looks at the texts of a value. `asked`: what the caller said, for checks of the answer to it. */
  async judge(
    phase: Phase,
    exchange: GuardedExchange,
    { value, find, asked }: { value: JsonObject; find: FindTexts; asked: JsonObject },
  ): Promise<Judged> {
    const leg = this.#leg;
    if (leg[phase].length === 0) return { value, denial: null };
    const body = new LeafBody(value, find);
    const { results, denial, later } = await runPhase({
      ...{ phase, guardrails: leg[phase], body, placeholders: leg.placeholders, house: this.#house },
      callOf: () =>
        phase === 'input'
          ? checkedCall(exchange, body, null)
          : checkedCall(exchange, { value: asked, isEdited: false }, body),
      caller: {
        happened: exchange.isOver,
        get signal() {
          return new AbortController().signal;
        },
      },
    });
    if (phase === 'input') leg.before = [...leg.before, ...results];
    else leg.after = [...leg.after, ...results];
    if (later) this.later.push(this.#note(phase, later));
    return denial ? { value: null, denial } : { value: body.value, denial: null };
  }

  async #note(phase: Phase, later: Promise<readonly HookResult[]>): Promise<void> {
    this.#late.push({ phase, results: await later });
  }
}

type Checked = Pick<LeafBody, 'value' | 'isEdited'>;

function checkedCall(
  { visit, server, subject }: GuardedExchange,
  asked: Checked,
  answer: Checked | null,
): CheckedCall {
  return inNameOf(visit.caller.key, {
    requestType: 'mcp',
    model: `${server.slug}/${subject ?? ''}`,
    provider: 'mcp',
    metadata: visit.metadata,
    headers: visit.headers,
    isStream: false,
    organisationId: server.organisationId,
    workspaceId: server.workspaceId,
    traceId: visit.trace.traceId,
    request: asked.value,
    response: answer && { status: 200, body: answer.value },
    isTransformed: { request: asked.isEdited, response: answer?.isEdited ?? false },
    requestText: () => JSON.stringify(asked.value),
  });
}
