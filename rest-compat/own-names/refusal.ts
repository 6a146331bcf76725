import { GatewayError } from '../../src/errors/index.ts';
import type { OwnName } from './index.ts';

/** Paths that an answer lists; the reference has them all. */
const MAX_LISTED = 8;
const MAX_SHOWN_LENGTH = 120;

/** Tells a caller what there is in the place of a path that is not there. `path` is the whole one. */
export function noSuchPath(path: string, { name, isExact, paths }: OwnName): GatewayError {
  const shown = path.length > MAX_SHOWN_LENGTH ? `${path.slice(0, MAX_SHOWN_LENGTH)}…` : path;
  const meant = isExact ? '' : ` ${JSON.stringify(name)} may be meant: it is a name of the gateway's own.`;
  const proxied = `A provider's own path is reached at /v1/proxy${path.startsWith('/v1/') ? shown.slice(3) : shown}.`;
  return new GatewayError('NOT_FOUND', {
    message: `There is no ${shown}.${meant} ${listed(name, paths)} ${proxied}`,
    param: 'path',
  });
}

function listed(name: string, paths: readonly string[]): string {
  if (paths.length === 0) return `This version has nothing at /v1/${name}.`;
  const more = paths.length > MAX_LISTED ? ', and more in /reference' : '';
  return `There is ${paths.slice(0, MAX_LISTED).join(', ')}${more}.`;
}
