import type { Socket } from 'node:net';

/** Who sent a request, as a trusted proxy in front of this process tells it. */
export type RequestOrigin = {
  address: string;
  /** Two letters (ISO 3166); null where the proxy does not say. */
  country: string | null;
};

type Arrival = { socket?: Pick<Socket, 'remoteAddress'> | undefined };

const clients = new WeakMap<Arrival, RequestOrigin>();

/** Notes the client of a request that came through a trusted proxy. */
export const rememberClient = (request: Arrival, client: RequestOrigin): void =>
  void clients.set(request, client);

/** The address of whoever sent the request; undefined for a connection that is gone. */
export const clientAddress = (request: Arrival): string | undefined =>
  clients.get(request)?.address ?? request.socket?.remoteAddress;

/** Where the client is, as a trusted proxy says; null without one. */
export const clientCountry = (request: Arrival): string | null => clients.get(request)?.country ?? null;
