import { join } from 'node:path';
import type { Connection } from 'mongoose';
import { createBatchEngine } from '../batches/index.ts';
import { createBoxes, createExtractText } from '../boxes/index.ts';
import type { OpenCallLimits } from '../dataplane/call/open-calls.ts';
import type { Dataplane } from '../dataplane/index.ts';
import type { Directory } from '../directory/memory.ts';
import type { Files } from '../files/index.ts';
import type { Logger } from '../lib/logger.ts';
import type { ServerTools } from '../mcp/models/index.ts';
import {
  createContextWindows,
  createRunEngine,
  type HostedTool,
  type RunEventBatch,
  RunEventLog,
  runInstanceModel,
} from '../runs/index.ts';
import { createMcpTool } from '../runs/tools/mcp.ts';
import type { Settings } from '../settings/index.ts';
import type { Changes } from '../storage/changes.ts';
import type { Leases } from '../storage/leases.ts';
import { nativeCollection, nativeDb } from '../storage/native-db.ts';
import type { Secrets } from '../storage/secrets.ts';
import { createTogether } from '../storage/together.ts';
import { createResponseKeeper } from '../subgraphs/assistants/response/index.ts';
import { threadModel } from '../subgraphs/assistants/thread/index.ts';
import { createCodeTool, hostedTools } from './code-interpreter.ts';
import { createKnowledgeService, createSearchTool } from './knowledge.ts';
import { createThreadUpkeep } from './threads.ts';

type Given = {
  settings: Settings;
  db: Connection;
  /** Asks models in the name of whoever began a run or a batch. */
  dataplane: Dataplane;
  openCalls: OpenCallLimits;
  files: Files;
  directory: Pick<Directory, 'providers'>;
  /** Tools of MCP servers, in the name of whoever began a run. */
  serverTools: ServerTools;
  /** Tools that runs have beside those of the house. */
  furtherTools: readonly HostedTool[];
  changes: Changes;
  secrets: Secrets;
  leases: Leases;
  now(): Date;
  log: Logger;
};

/** What works on without a caller who waits: runs with their tools, kept responses, batches, and the upkeep of threads. */
export function createAssistants(given: Given) {
  const { settings, db, dataplane, openCalls, files, directory, changes, secrets, leases, now, log } = given;
  const boxes = createBoxes(join(settings.storage.dataDirectory, 'boxes'));
  const knowledge = createKnowledgeService({
    ...{ settings, db, files, dataplane, changes, secrets, now, log },
    extractText: createExtractText(boxes),
  });
  const codeTool = createCodeTool(settings, { boxes, files, db, now, log });
  const tools = hostedTools(given.furtherTools, [
    codeTool?.tool,
    createSearchTool(db, { knowledge, secrets, now }),
    createMcpTool({ servers: given.serverTools, secrets }),
  ]);
  const eventBatches = () => nativeCollection<RunEventBatch>(db, 'run_events');
  const runs = createRunEngine({
    runs: () => nativeCollection(db, 'runs'),
    items: () => nativeCollection(db, 'thread_items'),
    batches: eventBatches,
    eventLog: new RunEventLog(eventBatches),
    together: createTogether(() => nativeDb(db)),
    hasThread: async (_id) => (await threadModel(db).exists({ _id })) !== null,
    instances: () => nativeDb(db).collection(runInstanceModel(db).collection.name),
    contextWindow: createContextWindows(directory, now),
    mostQueued: settings.runs.mostQueued,
    slots: slotsWithin(settings.runs.slots, openCalls),
    ...{ dataplane, files, tools, changes, secrets, now, log },
  });
  const batches = createBatchEngine({
    batches: () => nativeDb(db).collection('batches'),
    lines: () => nativeDb(db).collection('batch_lines'),
    linesAtOnce: settings.files.batchCallsAtOnce,
    ...{ files, dataplane, secrets, db, leases, now, log },
  });
  return {
    boxes,
    codeTool,
    knowledge,
    runs,
    batches,
    keepResponse: createResponseKeeper({ db, runs, secrets, now }),
    threads: createThreadUpkeep(settings, { runs, files, knowledge, db, leases, now, log }),
  };
}

type Slots = Settings['runs']['slots'];

/** Each run that is executed has a call open, and waits for its place where there would be none for the call. */
const slotsWithin = ({ all, ofWorkspace }: Slots, { total, perKey }: OpenCallLimits): Slots => ({
  all: Math.min(all, total),
  ofWorkspace: Math.min(ofWorkspace, perKey),
});
