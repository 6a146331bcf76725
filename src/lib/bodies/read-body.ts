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

/** A function of its own, since it lives as long as the answer, and so would all that it could see. */
function releaseAtEnd(response: ServerResponse, hold: Hold): void {
  if (response.closed) hold.release();
  else response.on('close', () => hold.release());
}

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
      arrival?.complete(request);
      resolve(pieces.joined());
      // A request may be answered for minutes, and would keep what nobody reads from it again.
      request.off('data', take);
      request.off('end', end);
      response.off('close', leave);
      releaseAtEnd(response, hold);
    };
    const leave = () => stop(new BodyAborted());
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
