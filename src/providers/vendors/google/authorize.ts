import type { Provider } from '../../provider.ts';

/** The key in a header; in the URL, where the specification has it, it would end up in logs. */
export const authorize: Provider['authorize'] = ({ headers }, { key }) => {
  if (key !== null) headers['x-goog-api-key'] = key;
};
