import type { IncomingMessage, ServerResponse } from 'node:http';
import Router from 'find-my-way';
import type { Principal } from '../src/auth/index.ts';
import type { CompiledOperation } from './compile.ts';
import type { RestBase, RestMethod } from './rest-directive.ts';

/** A base that is served: where, and whose credentials it takes. */
export type Surface = {
  /** `/v1` */
  prefix: string;
  /** Throws UNAUTHENTICATED for a credential that is not valid; null when there is none. */
  authenticate(request: IncomingMessage): Promise<Principal | null>;
};

export type Surfaces = Partial<Record<RestBase, Surface>>;

export type Route = { operation: CompiledOperation; surface: Surface };
export type Found = { route: Route; parameters: Record<string, string | undefined> };

export type Routes = {
  find(method: string, path: string): Found | null;
  /** The methods that a path takes; empty when no document knows the path. */
  methodsOf(path: string): RestMethod[];
};

const methods: RestMethod[] = ['GET', 'POST', 'PUT', 'DELETE'];

/** Mounts every operation on the bases it names, as far as they are served; static segments win over parameters. */
export function createRoutes(operations: CompiledOperation[], surfaces: Surfaces): Routes {
  const router = Router({ ignoreTrailingSlash: true, maxParamLength: 1024 });
  const taken = new Map<string, string>();
  // Most requests below /v1 are the data plane's: one look at the first segment tells.
  const roots = new Set<string>();
  for (const operation of operations) {
    const { method, path, on } = operation.rest;
    for (const base of on) {
      const surface = surfaces[base];
      if (!surface) continue;
      const full = surface.prefix + path;
      const place = `${method} ${full.replace(/\{\w+\}/g, '{}')}`;
      const other = taken.get(place);
      if (other) throw new Error(`${operation.label} and ${other} are both mounted at ${method} ${full}.`);
      taken.set(place, operation.label);
      roots.add(rootOf(full));
      const route: Route = { operation, surface };
      router.on(method, full.replace(/\{(\w+)\}/g, ':$1'), unused, route);
    }
  }
  const find = (method: RestMethod, path: string): Found | null => {
    if (!roots.has(rootOf(path))) return null;
    const found = router.find(method, path);
    return found && { route: found.store as Route, parameters: found.params };
  };
  return {
    find: (method, path) => {
      const looked = method === 'HEAD' ? 'GET' : methods.find((known) => known === method);
      return looked ? find(looked, path) : null;
    },
    methodsOf: (path) => methods.filter((method) => find(method, path)),
  };
}

// The router only finds; the handler is made by index.ts.
const unused = (_request: IncomingMessage, _response: ServerResponse): void => undefined;

/** `/v1/configs/a` -> `/v1/configs` */
function rootOf(path: string): string {
  const end = path.indexOf('/', path.indexOf('/', 1) + 1);
  return end < 0 ? path : path.slice(0, end);
}
