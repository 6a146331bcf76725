import type { Subgraph } from '../subgraph.ts';
import { assistant } from './assistant/resource.ts';
import { batch } from './batch/resource.ts';
import { file } from './file/resource.ts';
import { run } from './run/resource.ts';
import { runStep } from './run-step/resource.ts';
import { thread } from './thread/resource.ts';
import { threadMessage } from './thread-message/resource.ts';
import { vectorStore } from './vector-store/resource.ts';
import { vectorStoreFile } from './vector-store-file/resource.ts';
import { vectorStoreFileBatch } from './vector-store-file-batch/resource.ts';

export const assistants: Subgraph = {
  name: 'assistants',
  resources: [
    assistant,
    thread,
    threadMessage,
    run,
    runStep,
    file,
    batch,
    vectorStore,
    vectorStoreFile,
    vectorStoreFileBatch,
  ],
};
