import type { Provider } from '../provider.ts';

/** The key in a header of the provider's own, behind a word such as `Key` where it wants one. */
export const keyIn =
  (header: string, word = ''): Provider['authorize'] =>
  ({ headers }, { key }) => {
    if (key !== null) headers[header] = word + key;
  };

export const bearer = keyIn('authorization', 'Bearer ');

/** Google also takes its key in the URL, where it would end up in logs. */
export const googleKey = keyIn('x-goog-api-key');
