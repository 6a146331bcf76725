import type { IncomingMessage, ServerResponse } from 'node:http';
import { GatewayError } from '../../errors/index.ts';
import { Pieces } from '../pieces.ts';
import { arrivalOf } from './arrivals.ts';
import type { Hold } from './share.ts';

/** The caller hung up before the body was complete; there is nobody left to answer. */
export class BodyAborted extends Error {}

export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** Bytes that a request announces for its body; null where it does not say. */
export function announcedBytes({ headers }: IncomingMessage): number | null {
  const text = headers['content-length'];
  if (text !== undefined) return Number(text);
  return headers['transfer-encoding'] === undefined ? 0 : null;
}

export const bodyTooLarge = (maxBytes: number): GatewayError =>
  new GatewayError('BODY_TOO_LARGE', { message: `The request body is larger than ${maxBytes} bytes.` });

/**
 * Reads a body into memory. Its bytes count in `hold` as they arrive, and until the answer is over or the connection gone.
 * Throws for a body that is too large or too slow, or that has no room.
 */
export function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  hold: Hold,
  maxBytes: number,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const pieces = new Pieces();
    const arrival = arrivalOf(request);
    let isWhole = false;
    const stop = (error: Error) => {
      request.off('data', take);
      request.off('end', end);
      if (arrival) arrival.giveUp = null;
      hold.release();
      // What is left is thrown away.
      request.resume();
      reject(error);
    };
    const take = (chunk: Buffer) => {
      pieces.add(chunk);
      if (pieces.size > maxBytes) {
        stop(bodyTooLarge(maxBytes));
        return;
      }
      try {
        hold.set(pieces.footprint);
      } catch (error) {
        stop(error as Error);
      }
    };
    const end = () => {
      isWhole = true;
      arrival?.complete(request);
      resolve(pieces.joined());
      // A request may be answered for minutes, and would keep what nobody reads from it again.
      request.off('data', take);
      request.off('end', end);
      pieces.keepLast(0);
    };
    const leave = () => {
      if (isWhole) hold.release();
      else stop(new BodyAborted());
    };
    response.on('close', leave);
    if (response.closed || request.destroyed) {
      stop(new BodyAborted());
      return;
    }
    if ((announcedBytes(request) ?? 0) > maxBytes) {
      stop(bodyTooLarge(maxBytes));
      return;
    }
    if (arrival) arrival.giveUp = stop;
    request.on('data', take);
    request.on('end', end);
  });
}
