import type { Server } from 'node:http';

/**
 * Holds requests back until `open` is called. The server already has its port, but before there are keys no answer
 * would be of use. A request to upgrade a connection does not wait: before `open` its connection is closed.
 */
export function hold(server: Server): () => void {
  const requests = server.rawListeners('request') as ((...args: unknown[]) => void)[];
  const upgrades = server.rawListeners('upgrade') as ((...args: unknown[]) => void)[];
  const waiting: unknown[][] = [];
  const wait = (...args: unknown[]) => void waiting.push(args);
  server.removeAllListeners('request').removeAllListeners('upgrade');
  server.on('request', wait);
  return () => {
    server.off('request', wait);
    for (const listener of requests) server.on('request', listener);
    for (const listener of upgrades) server.on('upgrade', listener);
    for (const args of waiting) server.emit('request', ...args);
  };
}
