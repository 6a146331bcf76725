import type { Dispatcher } from 'undici';
import type { RemoteSubgraph } from '../../settings/graph/remote-subgraphs.ts';
import { NoAnswer, postQuery } from './post-query.ts';

/** Bytes of the largest SDL that is taken from a remote subgraph. */
export const MAX_SDL_BYTES = 1024 * 1024;

/** Asks a remote subgraph for its SDL, as every federation router does. */
export async function fetchSdl(
  remote: RemoteSubgraph,
  dispatcher: Dispatcher,
  signal: AbortSignal,
): Promise<string> {
  const { data, errors } = await postQuery(
    remote,
    { query: '{ _service { sdl } }' },
    { dispatcher, headers: remote.headers, maxBytes: 2 * MAX_SDL_BYTES, signal },
  );
  const service = data?._service as { sdl?: unknown } | null | undefined;
  if (typeof service?.sdl === 'string' && service.sdl.length <= MAX_SDL_BYTES) return service.sdl;
  const [error] = errors;
  throw new NoAnswer(error ? `an error in place of its SDL: ${error.message}` : 'no SDL');
}
