import type { CheckServices } from '../guardrails/check.ts';
import type { DataplaneDependencies } from './dependencies.ts';
import { callerOf } from './guardrails/callers.ts';
import { askInProcess } from './in-process.ts';
import { createDataplane } from './index.ts';

/** Bytes of a model's answer to a check. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

/**
 * How checks ask models: as calls of the data plane by the caller whose call is checked, with routing, limits, cost and a log of
 * their own, in the same trace. They come under no guardrails, so that no check can lead to itself.
 */
export const createModelCalls =
  (dependencies: () => DataplaneDependencies): CheckServices['callModel'] =>
  async (checked, { path, body, timeoutMs, signal }) => {
    const key = callerOf(checked);
    if (!key) throw new Error('Models are asked for calls only, and this is a test without one.');
    const dataplane = createDataplane({ ...dependencies(), authenticate: () => key });
    const headers = {
      'accept-encoding': 'identity',
      'x-gateway-trace-id': checked.traceId,
      'x-gateway-metadata': JSON.stringify({ ...checked.metadata, _guardrail: 'true' }),
    };
    const asked = { headers, path, body: Buffer.from(JSON.stringify(body)), isUnguarded: true };
    const patience = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const answer = await askInProcess(dataplane, asked, patience);
    const pieces: Buffer[] = [];
    let size = 0;
    for await (const piece of answer.body) {
      size += piece.length;
      if (size > MAX_ANSWER_BYTES)
        throw new Error(`The model's answer has more than ${MAX_ANSWER_BYTES} bytes.`);
      pieces.push(piece);
    }
    return { status: answer.status, body: parsed(Buffer.concat(pieces).toString('utf8')) };
  };

/** The value of a JSON text; null for any other text. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
