import { chatAnswer, json, type ReceivedRequest, type Script } from '../provider.ts';

/** The value of a secret before its rotation, and the one after it. */
export const OLD = 'sk-old-value-0123456789abcdef';
export const NEW = 'sk-new-value-0123456789abcdef';

export const keyOf = ({ headers }: ReceivedRequest): string =>
  String(headers.authorization).replace('Bearer ', '');

/** A provider that takes one key alone. */
export const taking =
  (key: () => string): Script =>
  (request, response, raw) =>
    (keyOf(request) === key()
      ? json(200, chatAnswer('hello'))
      : json(401, { error: { message: 'wrong key' } }))(request, response, raw);
