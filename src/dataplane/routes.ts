/** What the data plane makes of a path below `/v1`. */
export type Route = {
  /** Name of the operation in logs and rules. */
  endpoint: 'chatComplete' | 'complete' | 'embed' | 'models' | 'proxy';
  /** Path at the provider, below its version path. */
  upstreamPath: string;
  /** True where the gateway knows the request format and sends only what belongs to it. */
  unified: boolean;
  methods: readonly string[];
};

const POST = ['POST'];
const PROXY_METHODS = ['POST', 'GET', 'PUT', 'DELETE'];

const unified: Record<string, Route> = {
  '/chat/completions': {
    endpoint: 'chatComplete',
    upstreamPath: '/chat/completions',
    unified: true,
    methods: POST,
  },
  '/completions': { endpoint: 'complete', upstreamPath: '/completions', unified: true, methods: POST },
  '/embeddings': { endpoint: 'embed', upstreamPath: '/embeddings', unified: true, methods: POST },
  '/models': { endpoint: 'models', upstreamPath: '/models', unified: false, methods: ['GET'] },
};

/** `path` is the part after `/v1`, e.g. `/chat/completions` or `/proxy/rerank`. */
export function routeOf(path: string, method: string): Route {
  const known = unified[path];
  if (known) return known;
  if (path.startsWith('/models/') && method === 'GET') {
    return { endpoint: 'models', upstreamPath: path, unified: false, methods: PROXY_METHODS };
  }
  const upstreamPath = path.startsWith('/proxy/') ? path.slice('/proxy'.length) : path;
  return { endpoint: 'proxy', upstreamPath, unified: false, methods: PROXY_METHODS };
}

// Neither we nor the provider's router, which may decode slashes, may be talked out of the provider's base path.
const dotSegment = /(^|\/|%2f|%5c)(\.|%2e){1,2}(\/|%2f|%5c|$)/i;

export const isSafePath = (path: string): boolean =>
  !dotSegment.test(path) && !path.includes('\\') && !path.includes('//');
