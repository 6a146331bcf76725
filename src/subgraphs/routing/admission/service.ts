import type { IncomingHttpHeaders } from 'node:http';
import { type Principal, requireScope } from '../../../auth/index.ts';
import type { WeighedCall, WeighedLimit } from '../../../dataplane/admission/admission.ts';
import { shownAmount } from '../../../dataplane/limits/amounts.ts';
import { invalidInput } from '../../../errors/index.ts';
import { isObject } from '../../../lib/json.ts';
import type { GraphContext } from '../../context.ts';
import { apiKeyModel, visibleKeys } from '../../identity/api-key/index.ts';
import type { AdmissionCheck, AdmissionLimit, CheckAdmissionInput } from '../../types.generated.ts';

const MOST_HEADERS = 50;
/** Characters of one header. */
const LONGEST_HEADER = 64 * 1024;

/** What limits would do to a call of a key that the caller reaches. */
export async function checkAdmission(
  context: GraphContext,
  input: CheckAdmissionInput,
): Promise<AdmissionCheck> {
  const principal = requireScope(context.principal, ['policies.read']);
  const headers = parseHeaders(input.headers);
  const body = parseBody(input.body);
  const keyHash = await hashOfKey(context, principal, input.apiKeyId);
  const path = input.path.slice('/v1'.length);
  return shown(
    await context.checkAdmission({ keyHash, method: input.method ?? 'POST', path, headers, body }),
  );
}

async function hashOfKey(
  context: GraphContext,
  principal: Principal,
  named: string | null | undefined,
): Promise<string> {
  const isWorkspaceKey = principal.kind === 'workspace-service' || principal.kind === 'workspace-user';
  if (named == null && !isWorkspaceKey)
    throw invalidInput(
      'input.apiKeyId',
      'api_key_id is required with a credential that makes no calls: name the workspace key whose call it is.',
    );
  const found = await apiKeyModel(context.db)
    .findOne(
      { $and: [{ _id: named ?? principal.id, workspaceId: { $ne: null } }, visibleKeys(principal)] },
      { secretHash: 1 },
    )
    .lean<{ secretHash: string }>();
  if (found) return found.secretHash;
  throw invalidInput('input.apiKeyId', 'api_key_id names no workspace key that the credential reaches.');
}

function parseHeaders(value: unknown): IncomingHttpHeaders {
  if (value === undefined || value === null) return {};
  if (!isObject(value)) throw invalidInput('input.headers', 'headers must be an object of texts by name.');
  const entries = Object.entries(value);
  if (entries.length > MOST_HEADERS)
    throw invalidInput('input.headers', `headers has at most ${MOST_HEADERS} members.`);
  return Object.fromEntries(
    entries.map(([name, text]) => {
      if (!/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/.test(name))
        throw invalidInput('input.headers', 'headers has a name that is none of a header.');
      if (typeof text !== 'string' || text.length > LONGEST_HEADER)
        throw invalidInput(
          `input.headers.${name}`,
          `A header is a text of at most ${LONGEST_HEADER} characters.`,
        );
      return [name.toLowerCase(), text];
    }),
  );
}

function parseBody(value: unknown): Record<string, unknown> | null {
  if (value === undefined || value === null) return null;
  if (!isObject(value)) throw invalidInput('input.body', 'body must be a JSON object.');
  return value;
}

function shown({ refusal, estimate, limits, ...others }: WeighedCall): AdmissionCheck {
  return {
    ...others,
    admitted: refusal === null,
    refusal: refusal && {
      status: refusal.entry.status,
      code: refusal.entry.code ?? refusal.entry.type,
      message: refusal.message,
    },
    estimate: estimate && {
      tokens: estimate.tokens,
      cost: estimate.nanodollars === null ? null : shownAmount('cost', estimate.nanodollars),
      class: estimate.class,
    },
    limits: limits.map(shownLimit),
  };
}

function shownLimit({ counter, state, needed, verdict }: WeighedLimit): AdmissionLimit {
  const { limit, valueKey } = counter;
  const { unit } = limit;
  return {
    limitId: limit.id,
    level: limit.level,
    name: limit.name,
    unit,
    value: shownAmount(unit, limit.amount),
    valueKey: valueKey === '' ? null : valueKey,
    needed: shownAmount(unit, needed),
    used: shownAmount(unit, state.used),
    held: shownAmount(unit, state.held),
    remaining: shownAmount(unit, state.remaining),
    resetsAt: state.resetsAt === null ? null : new Date(state.resetsAt),
    verdict,
  };
}
