import { performance } from 'node:perf_hooks';
import type { CheckFinding, CheckInput, CheckServices, PreparedCheck, TextEdit } from '../check.ts';
import type { GuardedCheck } from '../prepare.ts';
import type { FoundSegment } from '../segments/index.ts';
import type { CheckBreakers } from './breaker.ts';
import { type Examination, inOriginal, inputOf, locally, type PlacedFinding } from './locally.ts';
import { blankCheckResult, type CheckResult } from './results.ts';

/** What every check of a process has in common. */
export type CheckHouse = {
  readonly services: CheckServices;
  readonly breakers: CheckBreakers;
  readonly longTexts: LongTexts;
};

/** Where checks read long texts while other requests go on. */
type LongTexts = {
  run(
    check: PreparedCheck,
    input: Pick<CheckInput, 'phase' | 'signal'> & LongSegments,
  ): Promise<PlacedFinding>;
};
type LongSegments = Pick<Examination, 'segments'>;

/** Characters, of which a check reads as many within a few milliseconds. */
const LONG = 16 * 1024;

/** What a check came to, and what it wants changed. */
export type Examined = {
  result: CheckResult;
  edits: readonly TextEdit[];
  body: CheckFinding['body'] | undefined;
  headers: CheckFinding['headers'] | undefined;
};

/** Runs one check; whatever goes wrong in it becomes its result. Waits only for a check that waits itself. */
export function examine(
  check: GuardedCheck,
  examination: Examination,
  house: CheckHouse,
): Examined | Promise<Examined> {
  const startedAt = performance.now();
  const result = blankCheckResult(check, Date.now());
  try {
    const running = check.check.isRemote
      ? remotely(check, examination, house)
      : isLong(check, examination)
        ? elsewhere(check, examination, house)
        : locally(check, examination, house.services);
    if (!(running instanceof Promise)) return found(result, startedAt, running);
    return running.then(
      (finding) => found(result, startedAt, finding),
      (error: unknown) => failed(result, startedAt, error),
    );
  } catch (error) {
    return failed(result, startedAt, error);
  }
}

/** Milliseconds since a moment, with two decimals. */
const since = (startedAt: number): number => Math.round((performance.now() - startedAt) * 100) / 100;

function found(result: CheckResult, startedAt: number, { finding, edits }: PlacedFinding): Examined {
  result.verdict = finding.verdict;
  result.data = finding.data ?? null;
  result.execution_time = since(startedAt);
  return { result, edits, body: finding.body, headers: finding.headers };
}

function failed(result: CheckResult, startedAt: number, error: unknown): Examined {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  result.error = { name, message };
  result.execution_time = since(startedAt);
  return { result, edits: [], body: undefined, headers: undefined };
}

function isLong({ check }: GuardedCheck, { segments }: Examination): boolean {
  if (check.readsCallOnly || check.isQuick) return false;
  let length = 0;
  for (const { text } of segments) length += text.length;
  return length > LONG;
}

const elsewhere = (
  check: GuardedCheck,
  { phase, segments, running: { signal } }: Examination,
  { longTexts }: CheckHouse,
): Promise<PlacedFinding> => longTexts.run(check, { phase, segments, signal });

/** A service is asked once, about the texts and all ways to read them. */
async function remotely(
  check: GuardedCheck,
  examination: Examination,
  house: CheckHouse,
): Promise<PlacedFinding> {
  const { breakers, services } = house;
  if (breakers.isOpen(check, Date.now()))
    throw named('CircuitOpen', 'The service failed several times in a row and is left alone for a while.');
  const { segments, views, running } = examination;
  const { signal } = running;
  const others = check.detects ? views() : [];
  const limit = AbortSignal.timeout(check.timeoutMs);
  const input = inputOf({ ...examination, running: { signal: AbortSignal.any([signal, limit]) } }, [
    ...segments,
    ...others.map(({ segment }) => segment),
  ]);
  try {
    const finding = await Promise.race([check.run(input, services), over(input.signal, check.timeoutMs)]);
    breakers.settle(check, false, Date.now());
    const edits = finding.edits ?? [];
    const own = edits.filter(({ segment }) => segments.includes(segment as FoundSegment));
    return { finding, edits: [...own, ...inOriginal(edits, others)] };
  } catch (error) {
    // What nobody waits for any more says nothing about the service.
    if (!signal.aborted) breakers.settle(check, true, Date.now());
    throw error;
  }
}

const over = (signal: AbortSignal, limit: number): Promise<never> =>
  new Promise((_resolve, reject) => {
    const fail = () => reject(named('TimeoutError', `The check took more than ${limit} ms.`));
    if (signal.aborted) fail();
    else signal.addEventListener('abort', fail, { once: true });
  });

function named(name: string, message: string): Error {
  const error = new Error(message);
  error.name = name;
  return error;
}
