import { setTimeout as sleep } from 'node:timers/promises';
import { isKeptId } from '../../../dataplane/keeping/kept-ids.ts';
import { GatewayError } from '../../../errors/index.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { KeptItem } from '../../../runs/items.ts';
import { itemShape } from '../../../runs/responses/record.ts';
import { responseShape } from '../../../runs/responses/shape.ts';
import { isResponse, type ResponseRun, type RunDocument } from '../../../runs/run.ts';
import type { GraphContext } from '../../context.ts';
import { requireReader, visible } from '../caller.ts';
import { runModel } from '../run/index.ts';
import { keptItemModel } from '../thread-message/index.ts';
import type { ResponseServices } from './services.ts';

/** Milliseconds between two looks for the end of a response that another process goes on with. */
const LOOK_MS = 250;

export const noResponse = (id: string) =>
  new GatewayError('NOT_FOUND', {
    message: `Response with id '${id.slice(0, 100)}' not found.`,
    param: 'response_id',
  });

/** A response that the caller reaches, as it is now. Throws NOT_FOUND. */
export async function getResponse(context: GraphContext, id: string): Promise<ResponseRun> {
  const tenant = visible(requireReader(context));
  const found = isKeptId(id)
    ? await runModel(context.db)
        .findOne({ _id: id, ...tenant })
        .lean<RunDocument>()
    : null;
  if (!found || !isResponse(found)) throw noResponse(id);
  const run = await context.runs.current(found);
  if (!isResponse(run)) throw noResponse(id);
  return run;
}

/** A response with what was said, as the API shows it. */
export async function shownResponse(
  { db }: Pick<ResponseServices, 'db'>,
  run: ResponseRun,
): Promise<JsonObject> {
  const { _id: runId, organisationId, workspaceId } = run;
  if (run.active) return responseShape(run, []);
  const items = await keptItemModel(db)
    .find({ runId, isInput: false, organisationId, workspaceId })
    .sort({ createdAt: 1, _id: 1 })
    .lean<KeptItem[]>();
  return responseShape(run, items.map(itemShape));
}

/** A response once it has ended, wherever it is executed. */
export async function endedResponse(services: ResponseServices, run: ResponseRun): Promise<JsonObject> {
  for (let now: RunDocument | null = run; ; await sleep(LOOK_MS)) {
    now = await runModel(services.db).findOne({ _id: run._id }).lean<RunDocument>();
    if (!now || !isResponse(now)) throw noResponse(run._id);
    now = await services.runs.current(now);
    if (!now.active && isResponse(now)) return shownResponse(services, now);
  }
}
