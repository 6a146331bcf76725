import type { Server } from 'node:http';

/**
 * Lets what comes to a server wait until `open` is called: it has its port, but before there are keys nobody could use an
 * answer. Upgrades of connections are not waited for; those that come too early are closed.
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
