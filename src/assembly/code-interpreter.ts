import { join } from 'node:path';
import type { Connection } from 'mongoose';
import {
  type Boxes,
  createInterpreters,
  createNativeStart,
  createRemoteStart,
  createStart,
  nativeUnavailable,
  type StartInterpreter,
} from '../boxes/index.ts';
import type { Files } from '../files/index.ts';
import type { Logger } from '../lib/logger.ts';
import type { HostedTool } from '../runs/index.ts';
import { createCodeInterpreter, createContainers } from '../runs/tools/code-interpreter/index.ts';
import type { Settings } from '../settings/index.ts';
import { threadModel } from '../subgraphs/assistants/thread/index.ts';
import type { ServicePart } from './lifecycle.ts';

type Deps = { boxes: Boxes; files: Files; db: Connection; now(): Date; log: Logger };

/** The tool that runs code for models; null where the installation or its platform has none. */
export function createCodeTool(
  { codeInterpreter, storage }: Pick<Settings, 'codeInterpreter' | 'storage'>,
  { boxes, files, db, now, log }: Deps,
): (ServicePart & { tool: HostedTool }) | null {
  const { places, keepsWarm } = codeInterpreter;
  const directory = join(storage.dataDirectory, 'boxes');
  const start = interpreterStart(codeInterpreter, { boxes, directory, log });
  if (!start) return null;
  // A box server keeps one ready itself.
  const interpreters = createInterpreters({
    start,
    keepsWarm: keepsWarm && codeInterpreter.runs !== 'remote',
    log,
  });
  const containers = createContainers({ interpreters, places, now });
  const tool = createCodeInterpreter({
    containers,
    files,
    hasPackages: codeInterpreter.runs !== 'deno',
    async threadFiles({ threadId, organisationId, workspaceId }) {
      const thread = await threadModel(db)
        .findOne({ _id: threadId, organisationId, workspaceId }, { toolResources: 1 })
        .lean();
      return thread?.toolResources.code_interpreter?.file_ids ?? [];
    },
  });
  return {
    tool,
    async stop() {
      await containers.stop();
      await interpreters.stop();
    },
  };
}

type StartDeps = { boxes: Boxes; directory: string; log: Logger };

/** How interpreters start here; null where none do. */
export function interpreterStart(
  { runs, python, server }: Settings['codeInterpreter'],
  { boxes, directory, log }: StartDeps,
): StartInterpreter | null {
  if (runs === 'deno') return boxes.unavailable === null ? createStart(boxes, directory, log) : null;
  if (runs === 'remote') return server && createRemoteStart(server.url, server.token);
  if (runs === 'off') return null;
  const unavailable = nativeUnavailable(python);
  if (unavailable === null) return createNativeStart(python);
  log.error(unavailable);
  return null;
}

/** The tools of the house, and those that stand in their places. */
export const hostedTools = (
  given: readonly HostedTool[],
  own: readonly (HostedTool | undefined)[],
): HostedTool[] => [
  ...given,
  ...own
    .filter((tool) => tool !== undefined)
    .filter(({ type }) => given.every((other) => other.type !== type)),
];
