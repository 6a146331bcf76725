import { GatewayError } from '../../../errors/index.ts';
import { isObject, type JsonObject } from '../../../lib/json.ts';

/** Which tools of a server a request lets its model use. */
export type AllowedTools = { names: ReadonlySet<string> | null; readOnly: boolean };

/** An MCP server of the gateway that a request names. `asks`: whether somebody has to approve a call of a tool first. */
export type WantedServer = {
  label: string;
  slug: string;
  allowed: AllowedTools;
  asks: (name: string, annotations: unknown) => boolean;
  /** Whether the format has a way to ask. */
  canAsk: boolean;
};

/** A tool as the model gets it. */
export type OfferedTool = {
  /** The function that the model is offered. */
  functionName: string;
  label: string;
  /** Its own name at its server. */
  name: string;
  definition: JsonObject;
  /** Somebody has to approve each call of it. */
  asksFirst: boolean;
};

/** A function that a model calls; `arguments` is JSON. */
export type ModelCall = { id: string; name: string; arguments: string };

/** What became of a call of a tool. `approvalId`: of the request that was approved for it. */
export type ToolOutcome = {
  call: ModelCall;
  tool: OfferedTool;
  text: string;
  isError: boolean;
  approvalId: string | null;
};

/** A call that waits for somebody to approve it. */
export type ApprovalRequest = { id: string; call: ModelCall; tool: OfferedTool };

/** One answer of a model, and what was done about the tools that it calls. */
export type ModelTurn = {
  answer: JsonObject;
  outcomes: readonly ToolOutcome[];
  waiting: readonly ApprovalRequest[];
  /** Calls that need no approval, and wait for those that do. */
  deferred: readonly ModelCall[];
};

/** All that was done for one request. `before`: calls that the request itself has approved. */
export type ToolWork = {
  tools: readonly OfferedTool[];
  before: readonly ToolOutcome[];
  turns: readonly ModelTurn[];
};

/** A way to talk to models, as far as tools are concerned. */
export type ToolFormat = {
  /** Throws a GatewayError for what is not taken. */
  wanted(body: JsonObject): WantedServer[];
  /** The body with functions in the place of servers. */
  offered(body: JsonObject, tools: readonly OfferedTool[]): JsonObject;
  /** The same for a model that is to say its last word. */
  withoutCalls(body: JsonObject): JsonObject;
  /** The functions that an answer calls. */
  callsIn(answer: JsonObject): ModelCall[];
  /** The body of the next round. */
  continued(body: JsonObject, answer: JsonObject, outcomes: readonly ToolOutcome[]): JsonObject;
  /** The last answer, with what was done before it. */
  finished(answer: JsonObject, done: ToolWork): JsonObject;
};

export const objectsIn = (value: unknown): JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : [];

export const refused = (param: string, message: string): GatewayError =>
  new GatewayError('VALIDATION_FAILED', { message, param });

/** `allowed_tools` of the Responses API: names, or an object with them. Throws a GatewayError for anything else. */
export function allowedTools(value: unknown, param: string): AllowedTools {
  if (value === undefined || value === null) return { names: null, readOnly: false };
  const { tool_names: names, read_only: readOnly = false } = Array.isArray(value)
    ? { tool_names: value }
    : isObject(value)
      ? value
      : { tool_names: 0 };
  const areNames =
    names === undefined || (Array.isArray(names) && names.every((name) => typeof name === 'string'));
  if (!areNames || typeof readOnly !== 'boolean')
    throw refused(param, `${param} takes a list of names, or {"tool_names": […], "read_only": true}.`);
  return { names: names === undefined ? null : new Set(names as string[]), readOnly };
}

/** The schema that a model gets of a tool. */
export const schemaOf = ({ definition }: OfferedTool): unknown =>
  isObject(definition.inputSchema) ? definition.inputSchema : { type: 'object', properties: {} };

export const descriptionOf = ({ definition }: OfferedTool): { description?: string } =>
  typeof definition.description === 'string' ? { description: definition.description } : {};
