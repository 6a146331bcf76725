/** What a check came to, and what it says of that; null where the answer that says it was not stored. */
export type CheckRan = {
  id: string;
  verdict: 'passed' | 'failed' | 'error' | 'skipped';
  /** Milliseconds. */
  time: number;
  found: string | null;
};

/** What a guardrail came to in one phase of a call. */
export type GuardrailRan = {
  id: string;
  phase: 'input' | 'output';
  verdict: boolean;
  denied: boolean;
  transformed: boolean;
  async: boolean;
  checks: CheckRan[];
};

type LoggedCheck = Omit<CheckRan, 'found'> & { error?: string };
type Logged = { ran?: (Omit<GuardrailRan, 'checks'> & { checks: LoggedCheck[] })[] };

/** What of a log says which guardrails looked at its call. */
type LoggedCall = { guardrails: unknown; response: { body: unknown } | null };

type ToldCheck = {
  id: string;
  verdict: boolean;
  execution_time: number;
  data?: unknown;
  error?: { name?: string; message?: string } | null;
};
type Told = {
  id: string;
  verdict: boolean;
  deny: boolean;
  transformed: boolean;
  async: boolean;
  checks: ToldCheck[];
};
const hooks = { input: 'before_request_hooks', output: 'after_request_hooks' } as const;

/** The guardrails that looked at a call: their verdicts from the log, and what they found from the answer that the caller got. */
export function guardrailsOf({ guardrails, response }: LoggedCall): GuardrailRan[] {
  const { ran = [] } = (guardrails ?? {}) as Logged;
  const told = toldIn(response?.body);
  return ran.map((one) => {
    const own = told(one.phase).find(({ id }) => id === one.id)?.checks ?? [];
    return {
      ...one,
      checks: one.checks.map(({ error, ...check }, at) => ({
        ...check,
        found: foundBy(own[at]) ?? error ?? null,
      })),
    };
  });
}

/** The same from the answer alone; `answer`: one with `hook_results`. */
export function guardrailsTold(answer: unknown): GuardrailRan[] {
  const told = toldIn(answer);
  return (['input', 'output'] as const).flatMap((phase) =>
    told(phase).map(({ id, verdict, deny, transformed, async, checks }) => ({
      ...{ id, phase, verdict, denied: deny, transformed, async },
      checks: checks.map((check) => ({
        id: check.id,
        verdict: verdictOf(check),
        time: check.execution_time,
        found: foundBy(check),
      })),
    })),
  );
}

function verdictOf({ verdict, error }: ToldCheck): CheckRan['verdict'] {
  if (error) return error.name === 'Skipped' ? 'skipped' : 'error';
  return verdict ? 'passed' : 'failed';
}

const foundBy = (check: ToldCheck | undefined): string | null =>
  check?.error?.message ?? wordsOf(check?.data);

/** How many guardrails passed before the call or after it; null for none. */
export function passedOf(ran: readonly GuardrailRan[], wanted: GuardrailRan['phase']): string | null {
  const list = ran.filter(({ phase }) => phase === wanted);
  return list.length === 0 ? null : `${list.filter(({ verdict }) => verdict).length}/${list.length} passed`;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function toldIn(body: unknown): (phase: GuardrailRan['phase']) => Told[] {
  const results = isObject(body) && isObject(body.hook_results) ? body.hook_results : {};
  return (phase) => {
    const list = results[hooks[phase]];
    return Array.isArray(list) ? (list as Told[]) : [];
  };
}

/** What a check found, as a line; a check that explains itself is quoted. */
function wordsOf(data: unknown): string | null {
  if (!isObject(data)) return null;
  if (typeof data.explanation === 'string') return data.explanation;
  const parts = Object.entries(data).map(([name, value]) => `${name}: ${textOf(value)}`);
  return parts.length === 0 ? null : parts.join('; ');
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((one) => typeof one === 'string'))
    return value.join(', ') || 'none';
  return JSON.stringify(value);
}
