/**
 * What one error is: HTTP status, public message, whether a client may try again, and the names it carries on the wire.
 * `type` and `code` are the OpenAI-like pair of inference answers; `adminCode` is the code of administration answers, AB01
 * to AB09.
 */
export type ErrorEntry = {
  status: number;
  message: string;
  type: string;
  code: string | null;
  adminCode: string;
  retryable: boolean;
};

export const entry = (
  status: number,
  adminCode: string,
  type: string,
  code: string | null,
  message: string,
  retryable = false,
): ErrorEntry => ({ status, adminCode, type, code, message, retryable });
