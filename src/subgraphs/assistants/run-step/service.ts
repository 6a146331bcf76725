import DataLoader from 'dataloader';
import { invalidInput } from '../../../errors/index.ts';
import type { CallsItem, RunCall } from '../../../runs/items.ts';
import type { RunDocument, StepRecord } from '../../../runs/run.ts';
import { type GraphContext, perRequest } from '../../context.ts';
import type { CursorArguments, CursorPage } from '../../cursor-page.ts';
import { notFound, requireId } from '../caller.ts';
import { type Included, showsContents } from '../included.ts';
import { getRun } from '../run/index.ts';
import { threadItemModel } from '../thread-message/index.ts';

/** A step with the run that it is part of. */
export type RunStepRow = { run: RunDocument; step: StepRecord; withContents: boolean };

type Place = { threadId: string; runId: string };

/** A page of the steps, which are stored with their run. */
export async function listSteps(
  context: GraphContext,
  { threadId, runId, include, ...args }: Place & CursorArguments & Included,
): Promise<CursorPage<RunStepRow>> {
  const withContents = showsContents(include);
  const run = await getRun(context, threadId, runId);
  const ordered = args.order === 'asc' ? run.steps : run.steps.toReversed();
  const placeOf = (id: string | null | undefined, param: string, otherwise: number) => {
    if (id == null) return otherwise;
    const place = ordered.findIndex((step) => step.id === id);
    if (place < 0) throw invalidInput(param, `${param} names no item of this list.`);
    return place;
  };
  const from = placeOf(args.after, 'after', -1) + 1;
  const until = placeOf(args.before, 'before', ordered.length);
  const inside = ordered.slice(from, until);
  const isBackwards = args.before != null && args.after == null;
  const shown = isBackwards ? inside.slice(-args.limit) : inside.slice(0, args.limit);
  return {
    data: shown.map((step) => ({ run, step, withContents })),
    firstId: shown[0]?.id ?? null,
    lastId: shown.at(-1)?.id ?? null,
    hasMore: inside.length > shown.length,
  };
}

export async function getStep(
  context: GraphContext,
  { threadId, runId }: Place,
  { id, include }: { id: string } & Included,
): Promise<RunStepRow> {
  const withContents = showsContents(include);
  requireId('step', id);
  const run = await getRun(context, threadId, runId);
  const step = run.steps.find((each) => each.id === id);
  if (!step) throw notFound('step', id);
  return { run, step, withContents };
}

/** The calls of turns, by the id of their item; none for a turn without any. */
export const callsByItemId = perRequest(
  (context: GraphContext) =>
    new DataLoader<string, readonly RunCall[]>(async (ids) => {
      const found = await threadItemModel(context.db)
        .find({ _id: { $in: [...ids] }, kind: 'calls' })
        .lean<CallsItem[]>();
      const byId = new Map(found.map(({ _id, calls }) => [_id, calls]));
      return ids.map((id) => byId.get(id) ?? []);
    }),
);
