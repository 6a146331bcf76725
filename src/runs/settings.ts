/** A function as a model is offered it. */
export type FunctionDefinition = {
  name: string;
  description?: string | null;
  /** JSON Schema of the arguments; absent for none. */
  parameters?: Record<string, unknown> | null;
  strict?: boolean | null;
};

/** A function that the caller runs. */
export type FunctionTool = { type: 'function'; function: FunctionDefinition };

/** The tools that the gateway runs itself. */
export type HostedToolType = 'file_search' | 'code_interpreter' | 'mcp';

/** A hosted tool with its options, as an assistant or a run lists it. */
type HostedToolEntry = { type: Exclude<HostedToolType, 'mcp'> } & Record<string, unknown>;

/** Tools of an MCP server: those of these names, or those that say that they only read. */
export type ToolFilter = { tool_names?: string[]; read_only?: boolean };

/** What a run says of an MCP server whose tools its model may call. */
export type McpOptions = {
  /** The slug of an MCP server of the workspace. */
  server: string;
  /** Absent for all of them. */
  allowed_tools?: string[] | ToolFilter | null;
  /** Which calls wait until the caller has approved them; absent for none. */
  require_approval?: 'always' | 'never' | { always?: ToolFilter; never?: ToolFilter } | null;
};

/** The tools of an MCP server of the gateway. */
export type McpTool = { type: 'mcp'; mcp: McpOptions };

export type RunTool = FunctionTool | HostedToolEntry | McpTool;

/** The files and vector stores that hosted tools may use. */
export type ToolResources = {
  code_interpreter?: { file_ids: string[] };
  file_search?: { vector_store_ids: string[] };
};

export const isFunctionTool = (tool: RunTool): tool is FunctionTool => tool.type === 'function';
export const isMcpTool = (tool: RunTool): tool is McpTool => tool.type === 'mcp';

/** Whether a function has a name that tools of one of the MCP servers have. */
export const isOfMcpServer = (tools: readonly RunTool[], name: string): boolean =>
  tools.some((tool) => isMcpTool(tool) && name.startsWith(`${tool.mcp.server}__`));

export type ResponseFormat =
  | 'auto'
  | 'none'
  | ({ type: 'text' | 'json_object' | 'json_schema' } & Record<string, unknown>);

export type ToolChoice =
  | 'none'
  | 'auto'
  | 'required'
  | { type: 'function'; function: { name: string } }
  | { type: Exclude<HostedToolType, 'mcp'> };

export type TruncationStrategy = { type: 'auto' | 'last_messages'; last_messages: number | null };

/** What a run was asked to do: the assistant's values under those of the request, frozen when the run was made. */
export type RunSettings = {
  model: string;
  instructions: string;
  tools: RunTool[];
  /** Those of the assistant, or what the request names in their place; the thread has resources of its own. */
  toolResources: ToolResources;
  temperature: number | null;
  topP: number | null;
  /** Of the whole run; null for no bound. */
  maxPromptTokens: number | null;
  maxCompletionTokens: number | null;
  truncationStrategy: TruncationStrategy;
  toolChoice: ToolChoice;
  parallelToolCalls: boolean;
  responseFormat: ResponseFormat;
  reasoningEffort: string | null;
};
