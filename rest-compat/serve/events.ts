import type { ServerResponse } from 'node:http';
import { administrationBody } from '../../src/errors/index.ts';
import { toGraphError } from '../../src/graph/index.ts';
import { formatEvent } from '../../src/lib/event-stream/index.ts';

export type ServerEvent = {
  /** By which a reader that comes again says how far it has read. */
  id?: string;
  event?: string;
  /** A text goes as it is, anything else as JSON. */
  data: unknown;
  /** The data as JSON, where somebody has it already. */
  text?: string;
};

export const eventHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  // Proxies that collect an answer before they pass it on make an exception for this.
  'x-accel-buffering': 'no',
};

/** One event as `text/event-stream` has it. */
export function frameOf({ id, event, data, text }: ServerEvent): string {
  const place = id === undefined ? '' : `id: ${id}\n`;
  return `${place}${formatEvent(event ?? null, text ?? (typeof data === 'string' ? data : JSON.stringify(data)))}`;
}

/** Says in an event what went wrong; resolves when it is on its way. */
export function writeErrorEvent(response: ServerResponse, thrown: unknown): Promise<void> {
  const frame = frameOf({ event: 'error', data: administrationBody(toGraphError(thrown)) });
  return new Promise((resolve) => response.write(frame, () => resolve()));
}
