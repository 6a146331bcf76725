import { isObject, type JsonObject } from '../../lib/json.ts';
import type { McpConfigurations } from '../configurations/index.ts';
import { RpcFailure, rpc } from '../exchange/failure.ts';
import type { McpVisit } from '../exchange/visit.ts';

const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
/** Under what a caller of the modern era answers that somebody was sent to sign in. */
const OWN_INPUT = 'sluice_sign_in';

/** Where a user has to sign in; null for any other failure. */
function signInUrl(failure: RpcFailure): string | null {
  const { data } = failure;
  if (failure.code !== rpc.unauthenticated || !isObject(data) || data.type !== 'oauth_required') return null;
  return typeof data.authorization_url === 'string' ? data.authorization_url : null;
}

const opensUrls = (capabilities: unknown): boolean =>
  isObject(capabilities) && isObject(capabilities.elicitation) && isObject(capabilities.elicitation.url);

const message = 'The MCP server needs you to sign in.';

/**
 * A failure in the form in which a caller of the older era opens addresses, where it has said that it does; the same failure
 * for every other one.
 */
export function asElicitation(failure: RpcFailure, { session, version }: McpVisit, id: string | number) {
  const url = signInUrl(failure);
  if (url === null || version !== '2025-11-25' || !opensUrls(session?.capabilities)) return failure;
  const elicitationId = `sign-in-${session?.uuid ?? ''}-${id}`;
  return new RpcFailure(rpc.urlElicitation, message, {
    data: { elicitations: [{ mode: 'url', elicitationId, url, message }] },
  });
}

/** The answer that asks a caller of the modern era to open an address; null where it has not said that it does. */
export function asInputRequired(failure: RpcFailure, params: JsonObject): JsonObject | null {
  const url = signInUrl(failure);
  const meta = isObject(params._meta) ? params._meta : {};
  if (url === null || !opensUrls(meta[CAPABILITIES])) return null;
  const asked = { method: 'elicitation/create', params: { mode: 'url', url, message } };
  return { resultType: 'input_required', inputRequests: { [OWN_INPUT]: asked } };
}

/** Addresses that one answer may ask somebody to open. */
const MAX_ADDRESSES = 20;

/**
 * What a caller of the modern era hears where a server of the older one wants addresses opened: a question where the caller has said
 * that it opens them, and else an error with the first of them.
 */
export function addressesIn(
  data: unknown,
  params: JsonObject,
  { client_features: features }: McpConfigurations,
): { result: JsonObject; failure: null } | { result: null; failure: RpcFailure } {
  const listed = isObject(data) && Array.isArray(data.elicitations) ? data.elicitations : [];
  const asked = listed.slice(0, MAX_ADDRESSES).flatMap((one) => {
    const isPage = isObject(one) && typeof one.url === 'string' && /^https:\/\//i.test(one.url);
    return isPage ? [{ url: one.url, message: String(one.message ?? message) }] : [];
  });
  const [first] = asked;
  if (!first)
    return {
      result: null,
      failure: new RpcFailure(rpc.upstream, 'The MCP server wants something opened that is no page.'),
    };
  const meta = isObject(params._meta) ? params._meta : {};
  if (features?.elicitation_url === false || !opensUrls(meta[CAPABILITIES])) {
    const more = { data: { type: 'oauth_required', authorization_url: first.url } };
    return {
      result: null,
      failure: new RpcFailure(rpc.unauthenticated, `${first.message}: ${first.url}`, more),
    };
  }
  const inputRequests = Object.fromEntries(
    asked.map((page, at) => [
      `page_${at}`,
      { method: 'elicitation/create', params: { mode: 'url', ...page } },
    ]),
  );
  return { result: { resultType: 'input_required', inputRequests }, failure: null };
}

/** Parameters without what answers the gateway, and nobody behind it. */
export function withoutOwnInput(params: JsonObject): JsonObject {
  const { inputResponses } = params;
  if (!isObject(inputResponses) || !(OWN_INPUT in inputResponses)) return params;
  const { [OWN_INPUT]: _own, ...others } = inputResponses;
  const { inputResponses: _all, ...rest } = params;
  return Object.keys(others).length === 0 ? rest : { ...rest, inputResponses: others };
}
