import { z } from 'zod';
import { nameList } from './name-list.ts';
import { integer } from './values.ts';

/** Settings of the MCP gateway. */
export const mcpSettings = {
  MCP_BASE_URL: z
    .url({ protocol: /^https?$/, error: 'must be a URL with http or https' })
    .transform((url) => url.replace(/\/+$/, ''))
    .optional()
    .describe(
      'where callers reach MCP servers, e.g. `https://mcp.example.com`; without it where they reach the installation',
    ),
  MCP_SYNC_SECONDS: integer(600, 0, 86_400).describe(
    'seconds between two readings of what each MCP server offers; `0` reads none by itself, so that nothing is ' +
      'known of new ones',
  ),
  MCP_LOGS: z
    .enum(['all', 'calls'])
    .default('all')
    .describe(
      'which requests to MCP servers have a row in the request log: `all` but pings, or `calls` of tools, prompts, ' +
        'resources and completions alone; refusals at the door always have one',
    ),
  MCP_REDIRECT_SCHEMES: nameList.default(['cursor', 'vscode', 'vscode-insiders', 'windsurf', 'zed']).meta({
    unset: '`cursor,vscode,vscode-insiders,windsurf,zed`',
    description:
      'comma list of URL schemes, beside https and http to the own machine, at which MCP clients may take the answer to ' +
      'an authorization',
  }),
  MCP_CLIENT_HOSTS: nameList.optional().meta({
    unset: 'every public host over https',
    description:
      'comma list of hosts whose documents may describe MCP clients (client id metadata documents); a private host ' +
      'counts only when it is named here, with its port where it is not the usual one',
  }),
};
