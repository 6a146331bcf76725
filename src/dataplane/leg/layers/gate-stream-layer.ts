import { streamFormatOf } from '../../../formats/index.ts';
import { gated } from './gated.ts';
import type { SendLayer } from './send-layer.ts';

/** Holds a stream that was asked for, on a route whose format the gateway knows, until the stream has something to show. */
export const gateStream: SendLayer = (send, { call, body, endpoint }) =>
  call.route.unified && body.value?.stream === true ? gated(send, streamFormatOf(endpoint)) : send;
