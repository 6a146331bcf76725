import { type BoxEnd, BoxFault, BoxLost } from '../../../boxes/index.ts';
import { ToolFailed } from '../../deps.ts';
import type { FunctionDefinition } from '../../settings.ts';
import type { HostedTool, ToolContext, ToolOutput } from '../tool.ts';
import type { Container } from './containers.ts';
import type { CodeFile, CodeInterpreterDeps } from './deps.ts';
import { inputsOf, putInputs } from './inputs.ts';
import { CellLogs } from './logs.ts';
import { type CellFiles, keepFiles, noFiles } from './outputs.ts';

export { type Containers, createContainers } from './containers.ts';
export type { CodeFiles } from './deps.ts';

/** Characters of a cell's output that the model is told: its beginning and its end. */
const MOST_TOLD = 20_000;

const restarted = 'The container was restarted; variables are gone.\n';

const endings: Record<BoxEnd, string> = {
  memory: 'The code took more than 512 MB of memory and was ended; variables and files are gone.\n',
  time: 'The code took more than 60 seconds and was ended; variables and files are gone.\n',
  processor: 'The container was ended for what it did behind the code; variables and files are gone.\n',
  processes: 'The code began too many processes and was ended; variables and files are gone.\n',
  crash: 'The interpreter broke; variables and files are gone.\n',
  stopped: 'The container was stopped; variables and files are gone.\n',
};

type Cell = { code: string; inputs: ReadonlyMap<string, CodeFile>; logs: CellLogs; context: ToolContext };

/** Runs Python for models, in a container of the run's thread. */
export function createCodeInterpreter(deps: CodeInterpreterDeps): HostedTool {
  const { containers, files } = deps;

  /** Where the container ends before the cell does, the logs say why. */
  async function inContainer(
    container: Container,
    { code, inputs, logs, context }: Cell,
  ): Promise<CellFiles> {
    const { signal } = context;
    try {
      const sentences = await putInputs(deps, inputs, { container, signal });
      for (const sentence of sentences) logs.add(`${sentence}\n`);
      const { files: made } = await container.interpreter.run(code, (text) => logs.add(text), signal);
      logs.flush();
      return await keepFiles(made, { files, container }, context);
    } catch (error) {
      if (!(error instanceof BoxLost || error instanceof BoxFault)) throw error;
      logs.add(endings[error instanceof BoxLost ? error.end : 'crash']);
      await container.interpreter.close();
      return noFiles();
    }
  }

  return {
    type: 'code_interpreter',
    offer: async (run) => [{ definition: definitionFor(deps, [...(await inputsOf(deps, run)).keys()]) }],
    async call({ arguments: given }, context) {
      const code = codeOf(given);
      if (code === null) {
        const output = 'The arguments must be a JSON object with the code as the string "code".';
        return { output, details: { input: given, outputs: [] } };
      }
      context.tell({ input: code });
      const logs = new CellLogs(context.tell);
      const { run, signal } = context;
      const inputs = await inputsOf(deps, run);
      const made = await containers
        .use(run, signal, (container, isAnew) => {
          if (isAnew || run.attempt > 1) logs.add(restarted);
          return inContainer(container, { code, inputs, logs, context });
        })
        .catch((error) => {
          throw error instanceof BoxLost ? new ToolFailed('Code cannot be run at present.') : error;
        })
        .finally(() => logs.flush());
      return outputOf(code, logs.whole, { made, tell: context.tell });
    },
  };
}

function outputOf(
  input: string,
  logs: string,
  { made, tell }: { made: CellFiles; tell: ToolContext['tell'] },
): ToolOutput {
  const written = logs === '' ? [] : [{ type: 'logs', logs }];
  if (made.images.length > 0) {
    tell({ outputs: made.images.map((image, place) => ({ index: written.length + place, ...image })) });
  }
  const lines = [...(logs === '' ? [] : [shortened(logs.trimEnd())]), ...made.lines];
  return {
    output: lines.length > 0 ? lines.join('\n') : 'The code has written nothing.',
    details: { input, outputs: [...written, ...made.images] },
    parts: made.parts,
    citations: made.citations,
  };
}

const shortened = (text: string): string =>
  text.length <= MOST_TOLD
    ? text
    : `${text.slice(0, MOST_TOLD / 2)}\n… ${text.length - MOST_TOLD} characters …\n${text.slice(-MOST_TOLD / 2)}`;

/** Null for arguments that are no call of this function. */
function codeOf(given: string): string | null {
  try {
    const { code } = JSON.parse(given) as { code?: unknown };
    return typeof code === 'string' ? code : null;
  } catch {
    return null;
  }
}

function definitionFor(
  { hasPackages }: Pick<CodeInterpreterDeps, 'hasPackages'>,
  names: readonly string[],
): FunctionDefinition {
  const libraries = hasPackages ? 'the packages that are installed' : 'its standard library';
  const listed = names.length === 0 ? '' : ` Files of the user in it: ${names.join(', ')}.`;
  return {
    name: 'code_interpreter',
    description:
      `Runs Python 3 with ${libraries}, without network, and answers with what it prints. Variables stay from call ` +
      'to call. Files are read from and written to /mnt/data; to give one to the user, name it as sandbox:/mnt/data/<name>.' +
      listed,
    parameters: {
      type: 'object',
      properties: { code: { type: 'string', description: 'the Python to run' } },
      required: ['code'],
      additionalProperties: false,
    },
  };
}
