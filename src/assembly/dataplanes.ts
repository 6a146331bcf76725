import type { DataplaneDependencies } from '../dataplane/dependencies.ts';
import { askInProcess } from '../dataplane/in-process.ts';
import { createDataplane, type Dataplane } from '../dataplane/index.ts';
import type { ResponseKeeper } from '../dataplane/keeping/keeper.ts';
import type { McpServed } from '../mcp/serve.ts';
import type { createAccess } from './access.ts';

type Given = {
  inference: DataplaneDependencies;
  access: Pick<ReturnType<typeof createAccess>, 'forInference' | 'onBehalf' | 'forConsoleInference'>;
  keepResponse: ResponseKeeper;
  toolRunner: McpServed['toolRunner'];
};

/** The data plane behind each door: the doors differ in the credentials that they take, and in nothing else. */
export function createDataplanes({ inference, access, keepResponse, toolRunner }: Given) {
  const behind = (authenticate: DataplaneDependencies['authenticate']): Dataplane => {
    // A model with tools is asked again through the door by which its caller came.
    const runTools = toolRunner((call, signal) => askInProcess(opened, call, signal));
    const opened = createDataplane({ ...inference, authenticate, keepResponse, runTools });
    return opened;
  };
  return {
    dataplane: behind(access.forInference),
    onBehalf: behind(access.onBehalf),
    ofConsole: behind(access.forConsoleInference),
  };
}
