import { GatewayError } from '../../errors/index.ts';
import { type RunRequest, type RunTools, type ServerTools, schemaOf } from '../../mcp/models/index.ts';
import type { Secrets } from '../../storage/secrets.ts';
import { serverHeaders } from '../caller.ts';
import { ToolFailed } from '../deps.ts';
import type { RunDocument } from '../run.ts';
import { isMcpTool } from '../settings.ts';
import { allowedTools, needsApproval } from './mcp-options.ts';
import type { HostedTool, ToolOutput } from './tool.ts';

export type McpToolDeps = { servers: ServerTools; secrets: Secrets };

/** What the model is told of a call that a process before this one may have made. */
const UNKNOWN = 'The outcome is unknown: the gateway was interrupted, and the tool may have done its work.';

/**
 * Calls tools of MCP servers for the model, as whoever began the run, whose access is looked at anew each time. What a server or
 * a rule of the gateway refuses is an output; a credential that is not valid any more ends the run.
 */
export function createMcpTool({ servers, secrets }: McpToolDeps): HostedTool {
  const find = (run: RunDocument): Promise<RunTools> => {
    const wanted = run.tools.filter(isMcpTool).map(({ mcp }) => ({
      slug: mcp.server,
      allowed: allowedTools(mcp),
    }));
    return servers.find(requestOf(secrets, run), wanted).catch(endsRun);
  };

  return {
    type: 'mcp',
    async offer(run) {
      const options = new Map(run.tools.filter(isMcpTool).map(({ mcp }) => [mcp.server, mcp]));
      const { tools } = await find(run);
      return tools.map((tool) => ({
        definition: {
          name: tool.functionName,
          ...(typeof tool.definition.description === 'string' && {
            description: tool.definition.description,
          }),
          parameters: schemaOf(tool) as Record<string, unknown>,
        },
        needsApproval: tool.asksFirst || needsApproval(options.get(tool.label)?.require_approval, tool),
      }));
    },
    async call({ id, name, arguments: given }, { run, signal, isRepeated }) {
      const found = await find(run);
      const tool = found.tools.find(({ functionName }) => functionName === name);
      if (!tool) return said(whyNot(name, found));
      const { idempotent_tools: idempotent = [] } = tool.server.upstream.configurations;
      if (isRepeated && !idempotent.includes(tool.name)) return said(UNKNOWN);
      const asked = { server: tool.server, name: tool.name, id, arguments: given };
      const { text } = await servers.call(requestOf(secrets, run), asked, signal).catch(endsRun);
      signal.throwIfAborted();
      return said(text);
    },
  };
}

const said = (output: string): ToolOutput => ({ output, details: {} });

/** A server whose access was taken away says so; of any other tool no more is known than that it is gone. */
function whyNot(name: string, { refusals }: RunTools): string {
  const [, refusal] = [...refusals].find(([slug]) => name.startsWith(`${slug}__`)) ?? [];
  return refusal?.message ?? `The tool ${name} is not available any more.`;
}

const requestOf = (secrets: Secrets, run: RunDocument): RunRequest => ({
  headers: serverHeaders(secrets, run),
  base: run.address ?? '',
  url: `/v1/threads/${run.threadId}/runs/${run._id}`,
});

/** Rejects with ToolFailed where the caller is not known any more, and with the same error for every other one. */
function endsRun(error: unknown): never {
  if (!(error instanceof GatewayError && error.code === 'UNAUTHENTICATED')) throw error;
  throw new ToolFailed(`The credential of this run is not valid any more. ${error.message}`);
}
