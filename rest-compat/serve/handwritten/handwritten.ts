import { type Principal, requireScope, type Scope } from '../../../src/auth/index.ts';
import { GatewayError } from '../../../src/errors/index.ts';
import type { GraphContext } from '../../../src/subgraphs/context.ts';
import { readQuery } from '../../compile/query.ts';
import type { RestBase, RestErrors, RestMethod } from '../../compile/rest-directive.ts';
import { invalid, unknownParameter } from '../../compile/value.ts';
import { createConversation, type RestConversation } from '../conversation.ts';
import type { MountedEndpoint, RestRequest } from '../route.ts';

/** A path that no document can describe: an upload, a download, a stream. Mounted, authenticated and answered like one. */
export type HandwrittenEndpoint = {
  /** Its operation's name, in logs and in the API's description. */
  name: string;
  method: RestMethod;
  /** `/files/{fileId}/content` */
  path: string;
  on: RestBase[];
  /** The scope that a caller needs, or some of which one will do; without one any valid credential will do. */
  scope?: Scope | readonly Scope[];
  /** The form of its errors; absent, that of the administration. */
  errors?: RestErrors;
  /** True where a request that names a provider goes on to that provider. */
  yields?: boolean;
  /** Whether a path is the gateway's own, by the ids in it; absent, all are. Others go on to a provider. */
  isOwn?(path: string): boolean;
  /** No credential is asked for: the path checks what its caller brings instead, such as the signature of a link. */
  isPublic?: boolean;
  /** Names of the query parameters it takes; others are refused. */
  query?: readonly string[];
  /** Its OpenAPI operation, as far as this type does not say it: `summary`, `parameters`, `requestBody`, `responses`. */
  describe: Record<string, unknown>;
  /** Answers by one of the conversation's `send…`. What it throws before is answered as an error. */
  handle(conversation: RestConversation): Promise<void>;
};

export function mountHandwritten(endpoint: HandwrittenEndpoint): MountedEndpoint {
  const { name, method, path, on, errors, yields, isOwn } = endpoint;
  return {
    label: name,
    method,
    path,
    on,
    errors,
    yields,
    isOwn,
    isPublic: endpoint.isPublic ?? false,
    async answer(call) {
      const { context, response } = call;
      const principal = principalOf(context, endpoint);
      const conversation = createConversation(call, principal, queryOf(call, endpoint.query ?? []));
      try {
        await endpoint.handle(conversation);
      } catch (error) {
        if (!conversation.signal.aborted) throw error;
        context.log.debug({ error, requestId: context.request.id }, `${name} ended when its caller left.`);
      }
      if (!response.headersSent && !response.destroyed) throw new Error(`${name} gave no answer.`);
    },
  };
}

function principalOf(
  { principal }: GraphContext,
  { scope, isPublic }: HandwrittenEndpoint,
): Principal | null {
  if (scope !== undefined) return requireScope(principal, [scope].flat());
  if (!principal && !isPublic) throw new GatewayError('UNAUTHENTICATED');
  return principal;
}

function queryOf({ context }: RestRequest, names: readonly string[]): Record<string, string> {
  const values = new Map<string, string>();
  for (const [name, text] of readQuery(context.request.query)) {
    if (!names.includes(name)) throw unknownParameter(name);
    if (values.has(name)) throw invalid(name, 'is given more than once.');
    values.set(name, text);
  }
  return Object.fromEntries(values);
}
