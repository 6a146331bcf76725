import type { CheckFinding, CheckInput, CheckServices, PreparedCheck, Segment, TextEdit } from '../check.ts';
import { type FoundSegment, type TextView, viewsOf } from '../segments/index.ts';

/** What a check is run on. */
export type Examination = Pick<CheckInput, 'phase' | 'call'> & {
  /** What makes the signal, once a check asks for it. */
  readonly running: { readonly signal: AbortSignal };
  /** Texts in its scope. */
  readonly segments: readonly FoundSegment[];
  /** Other ways to read them, as soon as a check asks for them. */
  readonly views: () => readonly TextView[];
};

/** The views of segments, made at the first use. */
export function lazyViews(segments: readonly FoundSegment[]): () => readonly TextView[] {
  let views: readonly TextView[] | null = null;
  return () => {
    views ??= viewsOf(segments);
    return views;
  };
}

/** What a check has found, with its edits in the original texts. */
export type PlacedFinding = { finding: CheckFinding; edits: readonly TextEdit[] };

/** What a check is given. A class, since an object with a getter of its own takes a microsecond to make. */
class GivenToCheck implements CheckInput {
  readonly phase: CheckInput['phase'];
  readonly call: CheckInput['call'];
  readonly segments: readonly Segment[];
  readonly text: string;
  readonly #running: Examination['running'];

  constructor({ phase, call, running }: Examination, segments: readonly Segment[]) {
    this.phase = phase;
    this.call = call;
    this.segments = segments;
    this.text =
      segments.length === 1 ? (segments[0]?.text ?? '') : segments.map(({ text }) => text).join('\n');
    this.#running = running;
  }

  get signal(): AbortSignal {
    return this.#running.signal;
  }
}

export const inputOf = (examination: Examination, segments: readonly Segment[]): CheckInput =>
  new GivenToCheck(examination, segments);

/** Runs a check that asks nobody. One that looks for what must not be there is run once more, on the other ways to read the texts. */
export function locally(
  check: Pick<PreparedCheck, 'run' | 'detects' | 'mayEdit'>,
  examination: Examination,
  services: CheckServices,
): PlacedFinding | Promise<PlacedFinding> {
  const { segments, views } = examination;
  const first = check.run(inputOf(examination, segments), services);
  if (!check.detects) return withFinding(first, (finding) => ({ finding, edits: finding.edits ?? [] }));
  return withFinding(first, (finding) => {
    const others = views();
    const seen = { finding, edits: finding.edits ?? [] };
    if (others.length === 0 || (!finding.verdict && !check.mayEdit)) return seen;
    const second = check.run(
      inputOf(
        examination,
        others.map(({ segment }) => segment),
      ),
      services,
    );
    return withFinding(second, (hidden) => ({
      finding: finding.verdict ? { ...finding, ...(hidden.verdict ? {} : hidden) } : finding,
      edits: [...seen.edits, ...inOriginal(hidden.edits ?? [], others)],
    }));
  }) as PlacedFinding | Promise<PlacedFinding>;
}

const withFinding = <Result>(
  finding: CheckFinding | Promise<CheckFinding>,
  use: (finding: CheckFinding) => Result | Promise<Result>,
): Result | Promise<Result> => (finding instanceof Promise ? finding.then(use) : use(finding));

export const inOriginal = (edits: readonly TextEdit[], views: readonly TextView[]): TextEdit[] =>
  edits.flatMap((edit) => views.find(({ segment }) => segment === edit.segment)?.edit(edit) ?? []);
