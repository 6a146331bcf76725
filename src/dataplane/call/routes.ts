import { GatewayError } from '../../errors/index.ts';
import type { Endpoint } from '../../providers/index.ts';

/** What the data plane makes of a path below `/v1`. */
export type Route = {
  /** Name of the operation in logs and rules. */
  endpoint: Endpoint;
  /** Path at a provider that speaks the gateway's format, below its version path. */
  upstreamPath: string;
  /** True where the gateway knows the request format and sends only what belongs to it. */
  unified: boolean;
  /** A JSON object and nothing else, or whatever the provider takes, such as a form with files. */
  body: 'json' | 'any';
  methods: readonly string[];
};

const POST = ['POST'];
const PROXY_METHODS = ['POST', 'GET', 'PUT', 'DELETE'];

const unified = (endpoint: Endpoint, upstreamPath: string, body: Route['body'] = 'json'): [string, Route] => [
  upstreamPath,
  { endpoint, upstreamPath, unified: true, body, methods: POST },
];

/** The methods of a path as `Allow` lists them: whatever can be got has a head, and all tell what they take. */
export const allowOf = ({ methods }: Route): string =>
  [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ');

/** Paths that create something out of a body. */
const exact = new Map<string, Route>([
  unified('chatComplete', '/chat/completions'),
  unified('complete', '/completions'),
  unified('embed', '/embeddings'),
  unified('messages', '/messages'),
  unified('countTokens', '/messages/count_tokens'),
  unified('createResponse', '/responses'),
  unified('imageGenerate', '/images/generations'),
  unified('imageEdit', '/images/edits', 'any'),
  unified('imageVariation', '/images/variations', 'any'),
  unified('createSpeech', '/audio/speech'),
  unified('createTranscription', '/audio/transcriptions', 'any'),
  unified('createTranslation', '/audio/translations', 'any'),
  unified('rerank', '/rerank'),
  unified('moderate', '/moderations'),
  unified('ocr', '/ocr'),
  ['/realtime', { ...asItIs('realtime', '/realtime'), unified: true, methods: ['GET'] }],
]);

/** Collections and what lies below them: nothing of theirs is translated on the way. */
const collections: readonly (readonly [string, Endpoint])[] = [
  ['/models', 'models'],
  ['/responses', 'storedResponse'],
  ['/files', 'files'],
  ['/batches', 'batches'],
  ['/fine_tuning/jobs', 'fineTuning'],
];

/** First segments of the paths that the data plane knows. */
export const knownNames: ReadonlySet<string> = new Set(
  ['/proxy', ...exact.keys(), ...collections.map(([path]) => path)].map((path) => path.split('/')[1] ?? ''),
);

/** Not a path of OpenAI's: the gateway makes it out of a batch and its file. */
const batchOutput = /^\/batches\/[^/]+\/output$/;

/** `path` is the part after `/v1`, e.g. `/chat/completions` or `/proxy/rerank`. */
export function routeOf(path: string): Route {
  const known = exact.get(path);
  if (known) return known;
  if (path === '/models') return { ...asItIs('models', path), methods: ['GET'] };
  if (batchOutput.test(path)) return { ...asItIs('batchOutput', path), methods: ['GET'] };
  for (const [prefix, endpoint] of collections) {
    if (path === prefix || path.startsWith(`${prefix}/`)) return asItIs(endpoint, path);
  }
  return asItIs('proxy', path.startsWith('/proxy/') ? path.slice('/proxy'.length) : path);
}

function asItIs(endpoint: Endpoint, upstreamPath: string): Route {
  return { endpoint, upstreamPath, unified: false, body: 'any', methods: PROXY_METHODS };
}

// Neither we nor the provider's router, which may decode slashes, may be talked out of the provider's base path. Empty
// segments lead nowhere: the path is only ever appended to an origin or sent as a request target, never resolved.
const dotSegment = /(^|\/|%2f|%5c)(\.|%2e){1,2}(\/|%2f|%5c|$)/i;

/** Throws VALIDATION_FAILED for a path that could lead out of the provider's base path. */
export function requireSafePath(path: string): void {
  if (path.includes('\\')) throw unsafe('a backslash, which some take for a slash: write it as %5C.');
  if (dotSegment.test(path))
    throw unsafe("a segment . or .., which could lead out of the provider's base path.");
}

const unsafe = (what: string) =>
  new GatewayError('VALIDATION_FAILED', { message: `The path has ${what}`, param: 'path' });
