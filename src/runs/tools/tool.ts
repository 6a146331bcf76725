import type { Citation, ContentPart } from '../items.ts';
import type { RunDocument } from '../run.ts';
import type { FunctionDefinition, HostedToolType } from '../settings.ts';

/** A tool that the gateway runs: the model is offered it as a function, and its calls never wait for the caller. */
export type HostedTool = {
  type: HostedToolType;
  /** The functions that the model is offered in this run; none where there is nothing at hand. */
  offer(run: RunDocument): Promise<readonly HostedFunction[]>;
  /**
   * Answers a call. What the model did wrong belongs into the output, for the model to do better. Throws ToolFailed where the
   * run cannot go on, and anything where `context.signal` is aborted. A call whose process has died is made again. `name`: as
   * the tool has offered the function.
   */
  call(call: { id: string; name: string; arguments: string }, context: ToolContext): Promise<ToolOutput>;
};

export type HostedFunction = {
  definition: FunctionDefinition;
  /** Its calls wait until the caller has approved them. */
  needsApproval?: boolean;
};

export type ToolContext = {
  run: RunDocument;
  /** Aborted when the run ends before the call does. */
  signal: AbortSignal;
  /** A process before this one may have made the call, and left nothing of what came of it. */
  isRepeated: boolean;
  /**
   * Tells readers of the stream what became of the call's member of its step: clients append texts and add numbers, so each is
   * told once. `{ input: 'print(' }` of code_interpreter, `{ results: […] }` of file_search.
   */
  tell(delta: Record<string, unknown>): void;
};

export type ToolOutput = {
  /** For the model. */
  output: string;
  /** The call's member as the API shows it: `{ results: […] }` of file_search, `{ input, outputs: […] }` of code_interpreter. */
  details: Record<string, unknown>;
  /** What the next message begins with, such as images of the code interpreter. */
  parts?: ContentPart[];
  /** Markers that later messages of the run may have in their text, and the annotations that these become. */
  citations?: Citation[];
};
