import { isObject } from '../../../lib/json.ts';
import { failureText } from '../../chat-completions/turn.ts';
import type { Fields } from '../../fields.ts';
import type { Ingress } from '../../translation.ts';
import { responsesAnswer } from './answer.ts';
import { responsesRequest } from './request.ts';
import { responsesStream } from './stream.ts';

/** OpenAI's `/v1/responses`. */
export const responses: Ingress = {
  request: responsesRequest,
  answer: responsesAnswer,
  stream: responsesStream,
  error: responsesError,
};

/** Chat and responses have one envelope for errors. */
function responsesError(status: number, body: unknown): Fields {
  if (isObject(body) && isObject(body.error)) return body;
  const type = status < 500 ? 'invalid_request_error' : 'server_error';
  return { error: { message: failureText(status, body), type, param: null, code: null } };
}
