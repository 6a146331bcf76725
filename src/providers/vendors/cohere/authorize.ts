import type { Provider } from '../../provider.ts';

export const authorize: Provider['authorize'] = ({ headers }, { key }) => {
  if (key !== null) headers.authorization = `Bearer ${key}`;
};
