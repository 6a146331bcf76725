import { upgrade } from 'undici';
import { Interpreter } from '../python/interpreter.ts';
import type { StartInterpreter } from '../python/start.ts';
import { PATH, UPGRADE } from './protocol.ts';
import { RemoteBox } from './remote-box.ts';

/** Milliseconds within which a server has a box ready. The first one of a server takes long: it makes what the others start from. */
const START_MS = 120_000;

/** Starts interpreters on a box server. `url`: of the server, or of what divides connections among several. */
export function createRemoteStart(url: URL, token: string): StartInterpreter {
  const address = new URL(url.href.replace(/\/*$/, PATH));
  return async (signal) => {
    const limit = AbortSignal.timeout(START_MS);
    const { socket } = await upgrade(address, {
      protocol: UPGRADE,
      headers: { authorization: `Bearer ${token}` },
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
    });
    return new Interpreter(new RemoteBox(socket));
  };
}
