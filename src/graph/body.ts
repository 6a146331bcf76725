import type { IncomingMessage, ServerResponse } from 'node:http';
import express from 'express';
import { inTime } from './deadline.ts';
import type { Safety } from './safety.ts';
import { nameDocument } from './trusted-requests.ts';

/** A request whose JSON body was read before. */
export type BodyRequest = IncomingMessage & { body?: unknown };

/** What Express does is not needed here: the parser works on Node's own requests. */
const json = express.json({ limit: '1mb' });

/** Reads the body within the operation's time, and the document that it names; throws what the parser throws. */
export const bodyReader =
  ({ timeout, documents }: Safety) =>
  async (request: BodyRequest, response: ServerResponse): Promise<void> => {
    inTime(timeout, request, response);
    await new Promise<void>((resolve, reject) => {
      json(request, response, (error?: unknown) => (error === undefined ? resolve() : reject(error)));
    });
    if (documents) nameDocument(documents, request);
  };
