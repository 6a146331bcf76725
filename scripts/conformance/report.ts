import type { Exception } from './exceptions.ts';
import type { TestResult } from './runner.ts';

export type Report = {
  results: TestResult[];
  /** Failures that no exception names. */
  unexpected: TestResult[];
  /** Failures that an exception names, with its reason. */
  excepted: Exception[];
  /** Exceptions whose test passes, or is no longer there. */
  stale: Exception[];
};

const isAbout = (exception: Exception, { file, description }: TestResult) =>
  exception.file === file && exception.description === description;

/** Holds the results of some suites against the list of named exceptions. */
export function evaluate(results: TestResult[], exceptions: Exception[]): Report {
  const failed = results.filter(({ status }) => status === 'failed');
  const files = new Set(results.map(({ file }) => file));
  return {
    results,
    unexpected: failed.filter((result) => !exceptions.some((exception) => isAbout(exception, result))),
    excepted: exceptions.filter((exception) => failed.some((result) => isAbout(exception, result))),
    stale: exceptions.filter(
      (exception) =>
        files.has(exception.file) &&
        !results.some((result) => isAbout(exception, result) && result.status !== 'passed'),
    ),
  };
}

const countOf = (results: TestResult[], status: TestResult['status']) =>
  results.filter((result) => result.status === status).length;

const counts = (results: TestResult[]) =>
  `${countOf(results, 'passed')} passed, ${countOf(results, 'failed')} failed, ${countOf(results, 'skipped')} skipped`;

function suiteLines(results: TestResult[]): string[] {
  const byFile = Map.groupBy(results, ({ file }) => file);
  return [...byFile].map(([file, ofFile]) => `${file}: ${counts(ofFile)}`);
}

function skipLines(results: TestResult[]): string[] {
  const skipped = results.filter(({ status }) => status === 'skipped');
  const byReason = Map.groupBy(skipped, ({ reason }) => reason ?? '');
  return [...byReason].map(([reason, ofReason]) => `  ${ofReason.length} ${reason}`);
}

const percent = (part: number, whole: number) => `${((100 * part) / whole).toFixed(1)} %`;

function percentages({ results, excepted }: Report): string {
  const passed = countOf(results, 'passed');
  const applicable = passed + countOf(results, 'failed');
  if (applicable === 0) return 'No test applies.';
  const ofAll = `${percent(passed, applicable)} of ${applicable} applicable tests pass`;
  const possible = applicable - excepted.filter(({ owner }) => owner === 'driver').length;
  if (possible === applicable || possible === 0) return `${ofAll}.`;
  return `${ofAll}, ${percent(passed, possible)} of the ${possible} that this driver can pass on any server.`;
}

const section = (title: string, lines: string[]) => (lines.length > 0 ? ['', title, ...lines] : []);

const name = ({ file, description }: { file: string; description: string }) => `  ${file}: ${description}`;

const withReason = (item: TestResult | Exception) => `${name(item)}\n    ${item.reason}`;

/** The report as text, ending with the line of the sums. */
export function formatReport(report: Report): string {
  const { results, unexpected, excepted, stale } = report;
  return [
    ...suiteLines(results),
    ...section('Failures:', unexpected.map(withReason)),
    ...section('Failures that are named exceptions:', excepted.map(withReason)),
    ...section('Exceptions that are stale, their test passes or is gone:', stale.map(name)),
    ...section('Skipped:', skipLines(results)),
    '',
    percentages(report),
    counts(results),
  ].join('\n');
}
