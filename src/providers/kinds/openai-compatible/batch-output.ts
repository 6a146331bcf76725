import { jsonAnswer } from '../../answer.ts';
import type { Dialect, DialectAnswer } from '../../provider.ts';
import { ask, isSuccess, type Manner, parsed, whole } from './ask.ts';

/** Bytes of the description of a batch. */
const MAX_BATCH = 1024 * 1024;

/** The rows of a batch's output file: looks the batch up at the provider, then streams the file. */
export const batchOutput =
  (manner: Manner): Dialect =>
  async (request) => {
    const found = await ask(request, request.path.replace(/\/output$/, ''), '', manner);
    if (!isSuccess(found)) return found;
    const batch = parsed(await whole(found, MAX_BATCH)) as Batch | undefined;
    const file = batch?.output_file_id;
    if (typeof file !== 'string' || file === '') return withoutOutput(batch ?? {});
    return ask(request, `/files/${encodeURIComponent(file)}/content`, '', manner);
  };

type Batch = { status?: unknown; output_file_id?: unknown; error_file_id?: unknown };

function withoutOutput({ status, error_file_id }: Batch): DialectAnswer {
  const errors = typeof error_file_id === 'string' ? ` Its errors are in the file ${error_file_id}.` : '';
  const error = {
    message: `The batch has no output file; its status is ${String(status ?? 'unknown')}.${errors}`,
    type: 'invalid_request_error',
    param: 'batch_id',
    code: 'batch_without_output',
  };
  return jsonAnswer({ status: 404, value: { error } });
}
