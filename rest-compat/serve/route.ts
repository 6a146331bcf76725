import type { IncomingMessage, ServerResponse } from 'node:http';
import Router from 'find-my-way';
import type { Principal } from '../../src/auth/index.ts';
import { GatewayError } from '../../src/errors/index.ts';
import type { BodyBudget } from '../../src/lib/bodies/index.ts';
import type { GraphContext } from '../../src/subgraphs/context.ts';
import type { CompiledOperation } from '../compile/compile.ts';
import type { RestBase, RestErrors, RestMethod } from '../compile/rest-directive.ts';

/** A base that is served: its prefix, and the check of credentials there. */
export type Surface = {
  /** `/v1` */
  prefix: string;
  /** Throws UNAUTHENTICATED for a credential that is not valid; null when there is none. */
  authenticate(request: IncomingMessage): Promise<Principal | null>;
};

export type Surfaces = Partial<Record<RestBase, Surface>>;

export type Parameters = Record<string, string | undefined>;

/** One request on its way through an endpoint. */
export type RestRequest = {
  request: IncomingMessage;
  response: ServerResponse;
  context: GraphContext;
  parameters: Parameters;
  bodies: BodyBudget;
};

/** What answers a method at a path: a document, or an endpoint that is written by hand. */
export type MountedEndpoint = {
  /** Its name, in logs and in errors at the start. */
  label: string;
  method: RestMethod;
  path: string;
  on: RestBase[];
  /** True where a credential is not even looked at. */
  isPublic: boolean;
  /** What it throws is answered as an error, unless the answer has begun. */
  answer(call: RestRequest): Promise<void>;
  document?: CompiledOperation;
  /** True where a request that names a provider goes on to that provider. */
  yields?: boolean;
  /** Whether a path is the gateway's own; absent, all are. */
  isOwn?(path: string): boolean;
  /** The form of its errors, where no document says it. */
  errors?: RestErrors;
};

/** `full`: the path with its base, parameters in braces. */
export type MountedRoute = { endpoint: MountedEndpoint; surface: Surface; full: string };
export type Found = { route: MountedRoute; parameters: Parameters };

export type Routes = {
  /** Throws VALIDATION_FAILED for a path that cannot be decoded. */
  find(method: string, path: string): Found | null;
  /**
   * The methods that a path takes, HEAD and OPTIONS included, and one of the endpoints there; none when no endpoint knows
   * the path.
   */
  methodsOf(path: string): { methods: string[]; endpoint?: MountedEndpoint };
};

const methods: RestMethod[] = ['GET', 'POST', 'PUT', 'DELETE'];

/** Mounts every endpoint on the bases it names, as far as they are served; static segments win over parameters. */
export function createRoutes(endpoints: MountedEndpoint[], surfaces: Surfaces): Routes {
  // The router puts no bound on a parameter: a path with a long one is a resource that does not exist.
  const router = Router({ ignoreTrailingSlash: true, maxParamLength: 1 << 20, onBadUrl: notDecodable });
  const taken = new Map<string, string>();
  // Most requests below /v1 belong to the data plane, as their first segment tells.
  const roots = new Set<string>();
  const withoutParameters = new Set<string>();
  for (const endpoint of endpoints) {
    const { label, method, path, on } = endpoint;
    for (const base of on) {
      const surface = surfaces[base];
      if (!surface) continue;
      const full = surface.prefix + path;
      const place = `${method} ${full.replace(/\{\w+\}/g, '{}')}`;
      const other = taken.get(place);
      if (other) throw new Error(`${label} and ${other} are both mounted at ${method} ${full}.`);
      taken.set(place, label);
      roots.add(rootOf(full));
      if (!full.includes('{')) withoutParameters.add(full);
      const route: MountedRoute = { endpoint, surface, full };
      router.on(method, full.replace(/\{(\w+)\}/g, ':$1'), unused, route);
    }
  }
  const find = (method: RestMethod, path: string): Found | null => {
    if (!roots.has(rootOf(path))) return null;
    const found = router.find(method, path);
    if (!found) return null;
    if (!found.store) {
      throw new GatewayError('VALIDATION_FAILED', { message: 'The path is not percent-encoded UTF-8.' });
    }
    const route = found.store as MountedRoute;
    // `PUT /admin/users/invites` does not change a user named `invites`: where a path has fixed segments, they hold
    // for every method.
    const plain = path.endsWith('/') ? path.slice(0, -1) : path;
    if (route.full !== plain && withoutParameters.has(plain)) return null;
    return { route, parameters: found.params };
  };
  return {
    find: (method, path) => {
      const looked = method === 'HEAD' ? 'GET' : methods.find((known) => known === method);
      return looked ? find(looked, path) : null;
    },
    methodsOf(path) {
      const found = roots.has(rootOf(path)) ? methods.flatMap((method) => find(method, path) ?? []) : [];
      const taken: string[] = found.map(({ route }) => route.endpoint.method);
      if (taken.length === 0) return { methods: [] };
      return {
        methods: [...taken, ...(taken.includes('GET') ? ['HEAD'] : []), 'OPTIONS'],
        endpoint: found[0]?.route.endpoint,
      };
    },
  };
}

// The router only finds the route; index.ts makes its handler.
const unused = (_request: IncomingMessage, _response: ServerResponse): void => undefined;
// With this handler, the router reports a path that cannot be decoded as found, but without a route.
const notDecodable = (): void => undefined;

/** `/v1/configs/a` -> `/v1/configs` */
function rootOf(path: string): string {
  const end = path.indexOf('/', path.indexOf('/', 1) + 1);
  return end < 0 ? path : path.slice(0, end);
}
