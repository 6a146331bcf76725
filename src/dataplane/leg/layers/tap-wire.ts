import type { SendLayer } from './send-layer.ts';

/** Copies requests and answers for the log; code of this process has its own requests copied by the `fetch` that it got. */
export const tapWire: SendLayer = (send, { tap, local }) =>
  tap === null ? send : tap.trying(local === null ? tap.sending(send) : send);
