import type { IncomingHttpHeaders } from 'node:http';
import { credentialOf, type DoorAuthenticate } from '../../authentication/authenticate.ts';
import { traceOf } from '../../dataplane/call/trace.ts';
import { GatewayError } from '../../errors/index.ts';
import { metadataOf } from '../door/visits.ts';
import { callerWith, type McpCaller } from '../exchange/caller.ts';
import { type AskedTool, type CallToolDependencies, callTool, type ToolResult } from './call-tool.ts';
import { type FindToolsDependencies, type FoundTool, findTools } from './find-tools.ts';
import { askNobody } from './formats/approval-rule.ts';
import type { AllowedTools } from './formats/format.ts';

/** The request that began a run, which goes on after its answer. */
export type RunRequest = {
  /** Those with which the run makes its calls, credential included. */
  headers: IncomingHttpHeaders;
  /** Address of the gateway as the request reached it, without a slash at the end. */
  base: string;
  /** Path by which logs know the run. */
  url: string;
};

/** What the caller of a run may use now. */
export type RunTools = {
  tools: FoundTool[];
  /** Why nothing of a server is among them, by its slug. */
  refusals: ReadonlyMap<string, GatewayError>;
};

/** Tools of MCP servers for runs. Each look asks anew who the caller is: throws a GatewayError where that is not known any more. */
export type ServerTools = {
  find(request: RunRequest, servers: readonly { slug: string; allowed: AllowedTools }[]): Promise<RunTools>;
  /** Calls a tool that `find` has found. */
  call(request: RunRequest, asked: AskedTool, signal: AbortSignal): Promise<ToolResult>;
};

export type ServerToolsDependencies = CallToolDependencies &
  FindToolsDependencies & { authenticate: DoorAuthenticate };

export function createServerTools({ authenticate, ...dependencies }: ServerToolsDependencies): ServerTools {
  const callerOf = async ({ headers, base }: RunRequest): Promise<McpCaller> =>
    callerWith(await authenticate(credentialOf(headers), undefined), headers, base);
  return {
    async find(request, servers) {
      const caller = await callerOf(request);
      const tools: FoundTool[] = [];
      const refusals = new Map<string, GatewayError>();
      const names = new Set<string>();
      for (const { slug, allowed } of servers) {
        const wanted = { label: slug, slug, allowed, asks: askNobody, canAsk: true };
        const found = await findTools(caller, [wanted], dependencies, names).catch(refusalOf);
        if (found instanceof GatewayError) refusals.set(slug, found);
        else tools.push(...found);
      }
      return { tools, refusals };
    },
    async call(request, asked, signal) {
      const caller = await callerOf(request);
      const { headers, url } = request;
      const trace = traceOf({ headers, method: 'POST', url });
      const metadata = metadataOf(headers, caller);
      return callTool({ caller, url, route: 'run', trace, metadata, signal }, asked, dependencies);
    },
  };
}

function refusalOf(error: unknown): GatewayError {
  if (error instanceof GatewayError && error.entry.status < 500) return error;
  throw error;
}
