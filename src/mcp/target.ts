import type { MappedSecret } from '../directory/memory.ts';
import type { McpAuthType, McpConfigurations } from './configurations/index.ts';

/** An MCP server and how the gateway proves itself to it; secrets in the clear, in memory only. */
export type UpstreamTarget = {
  /** Of the integration. */
  id: string;
  url: string;
  transport: 'http' | 'sse';
  authType: McpAuthType;
  configurations: McpConfigurations;
  /** Parts of the credential that go before what is stored. */
  mappedSecrets: readonly MappedSecret[];
};
