import { parentPort, workerData } from 'node:worker_threads';
import { serveLog } from './serve-log.ts';

if (!parentPort) throw new Error('This file runs as a worker thread.');
serveLog(parentPort, workerData);
