import { GatewayError } from '../../../errors/index.ts';
import { type JsonObject, parsedObject } from '../../../lib/json.ts';
import { type TextLine, textLines } from '../../../lib/json-text/text-lines.ts';
import { isNestedDeeperThan, maxDepth, unstorableName } from '../../../lib/storable.ts';
import type { GraphContext } from '../../context.ts';
import { transferOwner } from './export.ts';
import { type Importer, importers, type LineKind } from './lines/index.ts';
import { newScene } from './lines/scene.ts';

/** Bytes of one line: what it becomes has to fit into a document of the store. */
const MAX_LINE = 8 * 1024 * 1024;
/** Lines that are stored at the same time. */
const AT_ONCE = 16;
/** Refused lines that are told of. */
const MOST_PROBLEMS = 100;

/** Why a line was not taken; `field` is null for a whole line. */
export type LineProblem = { line: number; field: string | null; message: string };
type Counts = Record<(typeof importers)[LineKind]['plural'], number>;

export type ImportOutcome = {
  object: 'assistants.import';
  lines: number;
  created: Counts;
  /** What was there under its id, and stays as it is. */
  existing: Counts;
  /** Lines of files, whose contents do not come with them. */
  skipped: number;
  refused: number;
  problems: LineProblem[];
};

type Line = { number: number; kind: LineKind; value: JsonObject };

/**
 * Stores what lines of JSON say under the ids that they name. A line is taken as a whole or refused, and what is there stays as it
 * is, so that the same lines change nothing when they come again.
 */
export async function importLines(
  context: GraphContext,
  content: AsyncIterable<Uint8Array>,
): Promise<ImportOutcome> {
  const scene = newScene(context, transferOwner(context));
  const none = () => Object.fromEntries(Object.values(importers).map(({ plural }) => [plural, 0])) as Counts;
  const outcome: ImportOutcome = {
    object: 'assistants.import',
    ...{ lines: 0, created: none(), existing: none(), skipped: 0, refused: 0, problems: [] },
  };
  const refuse = (line: number, field: string | null, message: string) => {
    outcome.refused++;
    if (outcome.problems.length < MOST_PROBLEMS) outcome.problems.push({ line, field, message });
  };
  const store = async ({ number, kind, value }: Line) => {
    const { take, plural }: Importer = importers[kind];
    try {
      const isNew = await take(scene, value);
      outcome[isNew ? 'created' : 'existing'][plural]++;
    } catch (error) {
      if (!(error instanceof GatewayError) || error.code !== 'VALIDATION_FAILED') throw error;
      refuse(number, error.param ?? null, error.message);
    }
  };
  let group: Line[] = [];
  const storeGroup = async () => {
    const lines = group;
    group = [];
    // All end before the first failure is told, so that nothing is stored once the answer is given.
    const ended = await Promise.allSettled(lines.map(store));
    const failed = ended.find((each) => each.status === 'rejected');
    if (failed) throw failed.reason;
  };
  for await (const text of textLines(content, MAX_LINE)) {
    outcome.lines++;
    const line = lineOf(text);
    if (line === 'file') outcome.skipped++;
    else if ('problem' in line) refuse(text.number, line.field, line.problem);
    else {
      if (!goesWith(group, line)) await storeGroup();
      // What was made in one second is in the order of the lines.
      scene.clock.place(line.value);
      group.push(line);
    }
  }
  await storeGroup();
  outcome.problems.sort((one, other) => one.line - other.line);
  return outcome;
}

/** Lines of one kind do not name each other, but for steps, which are put behind each other. */
const goesWith = (group: readonly Line[], { kind }: Line): boolean =>
  group.length === 0 || (group.length < AT_ONCE && group[0]?.kind === kind && kind !== 'thread.run.step');

type Refused = { problem: string; field: string | null };

function lineOf(line: TextLine): Line | Refused | 'file' {
  if ('problem' in line) return { problem: `The line ${line.problem}`, field: null };
  const value = parsedObject(line.text);
  if (value === null) return { problem: 'The line is no JSON object.', field: null };
  if (isNestedDeeperThan(maxDepth, value))
    return { problem: `The line is nested more than ${maxDepth} levels.`, field: null };
  const name = unstorableName(value);
  if (name !== null) return { problem: 'A name in the line cannot be stored.', field: name.slice(0, 100) };
  if (value.object === 'file') return 'file';
  if (typeof value.object === 'string' && Object.hasOwn(importers, value.object))
    return { number: line.number, kind: value.object as LineKind, value };
  return {
    problem: `object must be one of ${['file', ...Object.keys(importers)].join(', ')}.`,
    field: 'object',
  };
}
