import { createHash } from 'node:crypto';
import type { JsonObject } from '../../lib/json.ts';
import { APPROVAL_PREFIX, type Approvals, type OpenedRequest } from './approvals.ts';
import { objectsIn, refused } from './formats/format.ts';

/** What a request says about a call that waits: that it may be made, or not. */
export type Verdict = OpenedRequest & {
  id: string;
  isApproved: boolean;
  reason: string | null;
  /** Names the member of the request that says whose verdict it is. */
  param: string;
  /** A hash of the conversation up to it: only there does it count. */
  place: string;
};

/**
 * The verdicts in the input of a request that have not come to a call yet. Throws a GatewayError for one about a request that is not
 * the caller's, or whose time is over.
 */
export function verdictsIn(body: JsonObject, caller: string, approvals: Approvals): Verdict[] {
  const items = objectsIn(body.input);
  const made = new Set(items.map(({ approval_request_id: id, type }) => (type === 'mcp_call' ? id : null)));
  const before = createHash('sha256').update(JSON.stringify(body.previous_response_id ?? null));
  const verdicts = new Map<string, Verdict>();
  items.forEach((item, at) => {
    before.update(JSON.stringify(item));
    const { type, approval_request_id: id, approve, reason } = item;
    if (type !== 'mcp_approval_response' || !isOwnId(id) || made.has(id)) return;
    if (typeof approve !== 'boolean')
      throw refused(`input.${at}.approve`, `input.${at}.approve must be true or false.`);
    const param = `input.${at}.approval_request_id`;
    const opened = approvals.open(id, caller);
    // What was refused before its time was over stays in the conversation.
    if (opened === null || (opened.isOver && approve))
      throw refused(param, `${param} is of no request that waits for this caller's approval.`);
    const earlier = verdicts.get(opened.uuid);
    if (earlier && earlier.isApproved !== approve)
      throw refused(`input.${at}.approve`, `input.${at}.approve says another thing than an item before it.`);
    if (earlier) return;
    const place = before.copy().digest('base64url');
    const said = typeof reason === 'string' ? reason : null;
    verdicts.set(opened.uuid, { ...opened, id, isApproved: approve, reason: said, param, place });
  });
  return [...verdicts.values()];
}

/** Whether an id is of a request for approval that the gateway has made. */
export const isOwnId = (id: unknown): id is string =>
  typeof id === 'string' && id.startsWith(APPROVAL_PREFIX);
