import type {
  CheckedCall,
  CheckFinding,
  CheckInput,
  CheckServices,
  Segment,
  TextEdit,
} from '../../../src/guardrails/check.ts';
import { checkOf } from '../../../src/guardrails/checks/index.ts';

const call: CheckedCall = {
  requestType: 'chatComplete',
  model: 'gpt-5',
  provider: 'openai',
  metadata: {},
  headers: {},
  isStream: false,
  organisationId: 'organisation-1',
  workspaceId: 'workspace-1',
  traceId: '0af7651916cd43dd8448eb211c80319c',
  request: null,
  response: null,
  isTransformed: { request: false, response: false },
  requestText: () => '',
};

/** What a test checks: a text, or several segments of text; and what it says of the call. */
export type Given = {
  text?: string;
  texts?: readonly string[];
  segments?: readonly Segment[];
  call?: Partial<CheckedCall>;
  phase?: CheckInput['phase'];
  signal?: AbortSignal;
};

export const segmentsOf = (texts: readonly string[]): Segment[] =>
  texts.map((text, index) => ({
    path: ['messages', index, 'content'],
    role: 'user',
    kind: 'text',
    text,
  }));

/** What a check is given for it. */
export function inputOf(given: Given): CheckInput {
  const segments =
    given.segments ?? segmentsOf(given.texts ?? (given.text === undefined ? [] : [given.text]));
  return {
    phase: given.phase ?? 'output',
    call: { ...call, ...given.call },
    segments,
    text: segments.map(({ text }) => text).join('\n'),
    signal: given.signal ?? new AbortController().signal,
  };
}

const unreachable = () => Promise.reject(new Error('This check is to ask nobody.'));

/** Services of which a check that asks nobody has no need. */
export const noServices: CheckServices = { send: unreachable, resolves: unreachable, callModel: unreachable };

function preparedOf(id: string, parameters: unknown) {
  const check = checkOf(id);
  if (check === undefined) throw new Error(`there is no check ${id}`);
  return check.prepare(parameters);
}

/** Runs a check; throws where its parameters are refused. */
export async function run(
  id: string,
  parameters: unknown,
  given: Given,
  services: CheckServices = noServices,
): Promise<CheckFinding> {
  const prepared = preparedOf(id, parameters);
  if ('problems' in prepared) throw new Error(JSON.stringify(prepared.problems));
  return prepared.run(inputOf(given), services);
}

/** What is wrong with parameters, a line each: `path: message`. */
export function problemsOf(id: string, parameters: unknown): string[] {
  const prepared = preparedOf(id, parameters);
  if (!('problems' in prepared)) return [];
  return prepared.problems.map(({ path, message }) => `${path.join('.')}: ${message}`);
}

export function reachOfCheck(id: string, parameters: unknown): number | null {
  const prepared = preparedOf(id, parameters);
  if ('problems' in prepared) throw new Error(JSON.stringify(prepared.problems));
  return prepared.reach;
}

/** The segments' texts with the finding's edits in place, placeholders numbered as in a call. */
export function edited(given: Given, { edits = [] }: CheckFinding): string[] {
  const numbers = new Map<string, Map<string, number>>();
  const replacementOf = ({ segment, start, end, replacement }: TextEdit) => {
    if (typeof replacement === 'string') return replacement;
    const known = numbers.get(replacement.placeholder) ?? new Map<string, number>();
    numbers.set(replacement.placeholder, known);
    const text = segment.text.slice(start, end);
    if (!known.has(text)) known.set(text, known.size + 1);
    return `{{${replacement.placeholder}_${known.get(text)}}}`;
  };
  return inputOf(given).segments.map((segment) => {
    const own = edits.filter((edit) => edit.segment.path.join() === segment.path.join());
    const changes = [...own]
      .sort((one, other) => one.start - other.start)
      .map((edit) => ({ ...edit, replacement: replacementOf(edit) }));
    return changes.reduceRight(
      (text, { start, end, replacement }) => text.slice(0, start) + replacement + text.slice(end),
      segment.text,
    );
  });
}
