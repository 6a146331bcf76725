import { type MessagePort, parentPort } from 'node:worker_threads';
import type { LogThreadData } from '../../../src/recording/log/thread/messages.ts';
import { serveLog } from '../../../src/recording/log/thread/serve-log.ts';

parentPort?.on('message', ({ port, data }: { port: MessagePort; data: LogThreadData }) =>
  serveLog(port, data),
);
