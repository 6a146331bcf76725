/** A function that the caller runs, as a run offers it to the model. */
export type FunctionTool = {
  type: 'function';
  function: {
    name: string;
    description?: string | null;
    /** JSON Schema of the arguments; absent for none. */
    parameters?: Record<string, unknown> | null;
    strict?: boolean | null;
  };
};

/** A tool that the gateway would run itself. */
export type HostedTool = { type: 'file_search' | 'code_interpreter' } & Record<string, unknown>;

export type RunTool = FunctionTool | HostedTool;

export const isFunctionTool = (tool: RunTool): tool is FunctionTool => tool.type === 'function';

export type ResponseFormat =
  | 'auto'
  | 'none'
  | ({ type: 'text' | 'json_object' | 'json_schema' } & Record<string, unknown>);

export type ToolChoice =
  | 'none'
  | 'auto'
  | 'required'
  | { type: 'function'; function: { name: string } }
  | { type: 'file_search' | 'code_interpreter' };

export type TruncationStrategy = { type: 'auto' | 'last_messages'; last_messages: number | null };

/** What a run was asked to do: the assistant's values under those of the request, frozen when the run was made. */
export type RunSettings = {
  model: string;
  instructions: string;
  tools: RunTool[];
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
