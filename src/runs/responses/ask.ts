import { askInProcess } from '../../dataplane/in-process.ts';
import { alone } from '../../lib/bodies/alone.ts';
import { parsedObject } from '../../lib/json.ts';
import { callHeaders } from '../caller.ts';
import { type RunDeps, ToolFailed } from '../deps.ts';
import type { KeptItem } from '../items.ts';
import type { LiveRun } from '../live.ts';
import { isResponse, type ResponseRun, type RunError } from '../run.ts';
import { errorIn, errorOfAnswer } from '../turn/last-error.ts';
import { keptItems } from './kept-items.ts';
import { givenItem, type ResponseItem, shownId } from './record.ts';
import { ResponseTeller } from './teller.ts';

/** Items that a model is sent at most. */
const MAX_ITEMS = 10_000;
/** Bytes of an error that are kept. */
const MAX_ERROR = 256 * 1024;
/** What a provider has to give along so that its thoughts can be sent back to it, which keeps none. */
const THOUGHTS = 'reasoning.encrypted_content';

/** The model's provider, or the gateway before it, refused the request. */
export class ResponseRefused extends Error {
  readonly error: RunError;
  constructor(error: RunError) {
    super(error.message);
    this.error = error;
  }
}

/** What a model's provider says; `shownIds`: ids of earlier items by those that their provider gave them. */
export type AskedResponse = { body: AsyncIterable<Buffer>; shownIds: ReadonlyMap<unknown, string> };

/** Sends all that was said so far as the caller would. Throws ResponseRefused, and tells its reader why. */
export async function askForResponse(deps: RunDeps, live: LiveRun): Promise<AskedResponse> {
  const { run, teller, signal } = live;
  if (!isResponse(run)) throw new Error('A run that is no response asks for a chat completion.');
  const { request, shownIds } = await requestOf(deps, run);
  const body = alone(Buffer.from(JSON.stringify(request)));
  const headers = callHeaders(deps.secrets, run);
  const call = { headers, path: '/responses', body, isCounted: true };
  const answer = await askInProcess(deps.dataplane, call, signal);
  if (answer.status === 200) return { body: answer.body, shownIds };
  const refusal = await wholeOf(answer.body);
  const { 'content-length': _length, 'transfer-encoding': _encoding, ...shown } = answer.headers;
  if (teller instanceof ResponseTeller)
    teller.refuse({ status: answer.status, headers: shown, body: refusal });
  throw new ResponseRefused(errorOfAnswer(answer.status, errorIn(refusal).message));
}

async function requestOf(
  deps: RunDeps,
  run: ResponseRun,
): Promise<Pick<AskedResponse, 'shownIds'> & { request: object }> {
  const request = parsedObject(run.response.request) ?? {};
  const include = Array.isArray(request.include) ? request.include : [];
  const before = await historyOf(deps, run);
  const mine = await keptItems(deps)
    .find({ runId: run._id, isInput: true })
    .sort({ createdAt: 1, _id: 1 })
    .toArray();
  const items = [...before, ...mine];
  const requests = items.filter(({ type }) => type === 'mcp_approval_request');
  return {
    request: {
      ...request,
      model: run.model,
      input: withGivenIds(items, requests).filter(isOfUse),
      include: include.includes(THOUGHTS) ? include : [...include, THOUGHTS],
      store: false,
      stream: true,
    },
    shownIds: new Map(
      requests.flatMap(({ _id, type, providerId }) =>
        providerId === null ? [] : [[providerId, shownId(_id, type)]],
      ),
    ),
  };
}

/** Items as their provider, or their caller, wrote them; approvals name the request by the id that its provider gave it. */
function withGivenIds(items: readonly KeptItem[], requests: readonly KeptItem[]): ResponseItem[] {
  const givenIds = new Map<unknown, string | null>(
    requests.map(({ _id, type, providerId }) => [shownId(_id, type), providerId]),
  );
  return items.map((kept) => {
    const item = givenItem(kept);
    const id = givenIds.get(item.approval_request_id) ?? null;
    return id === null ? item : { ...item, approval_request_id: id };
  });
}

/** What was said before, oldest first. */
async function historyOf(deps: RunDeps, { _id, response, ...run }: ResponseRun): Promise<KeptItem[]> {
  const { conversationId, ancestors } = response;
  if (conversationId === null && ancestors.length === 0) return [];
  const { organisationId, workspaceId } = run;
  const place =
    conversationId === null
      ? { runId: { $in: ancestors } }
      : { threadId: conversationId, runId: { $ne: _id } };
  const found = await keptItems(deps)
    .find({ ...place, kind: 'item', organisationId, workspaceId })
    .sort({ createdAt: -1, _id: -1 })
    .limit(MAX_ITEMS + 1)
    .toArray();
  if (found.length > MAX_ITEMS)
    throw new ToolFailed(`More than ${MAX_ITEMS} items were said before: begin anew.`);
  return found.reverse();
}

/** Thoughts that their provider has not given along say nothing to anybody. */
const isOfUse = ({ type, encrypted_content: thoughts }: ResponseItem): boolean =>
  type !== 'reasoning' || typeof thoughts === 'string';

async function wholeOf(body: AsyncIterable<Buffer>): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of body) {
    pieces.push(piece);
    size += piece.length;
    if (size > MAX_ERROR) break;
  }
  return Buffer.concat(pieces).toString('utf8');
}
