import type { LogLineFragment } from '../documents.ts';

export type Line = LogLineFragment;

/** What a status says in a glance. */
export const toneOf = ({
  responseStatusCode: status,
  isSuccess,
}: Pick<Line, 'responseStatusCode' | 'isSuccess'>) =>
  isSuccess ? 'ok' : status >= 500 || status < 200 ? 'bad' : 'warn';

/** Name of the key; its id where the viewer may not see it, or where it is gone. */
export const keyOfLine = ({ apiKey, apiKeyId }: Line): string => apiKey?.name ?? apiKeyId.slice(0, 8);

/** Which try of the request it was: `2 ✓`. */
export const routeOf = ({ lastUsedOptionIndex, isSuccess, retryAttemptCount, mode }: Line): string => {
  if (mode === 'single' && retryAttemptCount === 0) return '';
  const retries = retryAttemptCount === 0 ? '' : ` +${Math.abs(retryAttemptCount)}`;
  return `${lastUsedOptionIndex + 1}${retries} ${isSuccess ? '✓' : '✗'}`;
};
