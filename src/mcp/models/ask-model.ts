import type { IncomingHttpHeaders } from 'node:http';
import type { Call } from '../../dataplane/call/call.ts';
import type { InProcessAnswer, InProcessCall } from '../../dataplane/in-process.ts';
import type { JsonObject } from '../../lib/json.ts';

/** Has the data plane answer a call of this process. */
export type AskInProcess = (call: InProcessCall, signal: AbortSignal) => Promise<InProcessAnswer>;

/** Has the model of a call answer a body, as a call of its own below the caller's. */
export const askerOf =
  (call: Call, ask: AskInProcess) =>
  (body: JsonObject, round: number): Promise<InProcessAnswer> =>
    ask(
      {
        headers: headersFor(call),
        path: call.path,
        body: Buffer.from(JSON.stringify(body)),
        // The rates of calls have counted the first round when the caller's request came.
        isCounted: round === 0,
      },
      call.disconnect.signal,
    );

function headersFor({ headers, trace }: Call): IncomingHttpHeaders {
  const kept = Object.entries(headers).filter(([name]) => !OF_CONNECTION.test(name));
  return {
    ...Object.fromEntries(kept),
    ...{ 'x-gateway-trace-id': trace.traceId, 'x-gateway-parent-span-id': trace.spanId },
  };
}

/** Headers that are about one connection, or one request alone. */
const OF_CONNECTION =
  /^(host|connection|keep-alive|te|trailer|upgrade|expect|transfer-encoding|accept-encoding|content-.*|x-gateway-span-id|x-gateway-parent-span-id|x-gateway-trace-id|proxy-.*)$/;

export async function bytesOf({ body }: InProcessAnswer): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const piece of body) chunks.push(piece);
  return Buffer.concat(chunks);
}

export const withoutLength = ({
  'content-length': _length,
  'transfer-encoding': _encoding,
  connection: _connection,
  ...headers
}: InProcessAnswer['headers']): InProcessAnswer['headers'] => headers;
