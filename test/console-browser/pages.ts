/** A page as the tests that hold for all pages need it. */
export type TestedPage = {
  path: string;
  /** Its heading. */
  title: string;
  /** The operation without whose answer it shows nothing. */
  operation: string;
  /** What is to be seen once the answer is there. */
  filled: RegExp;
  /** What a fresh workspace shows; null where the one that has been made for these tests is not empty. */
  empty: RegExp | null;
  /** Without which nobody sees it. */
  scope: string;
};

export const testedPages: readonly TestedPage[] = [
  {
    path: 'home',
    title: 'Home',
    operation: 'Home',
    filled: /requests, .* errors, \$/,
    empty: /No requests in this time/,
    scope: 'analytics.view',
  },
  {
    path: 'spend',
    title: 'Spend',
    operation: 'Spend',
    filled: /Last 30 days: \$/,
    empty: /No priced requests yet/,
    scope: 'analytics.view',
  },
  {
    path: 'logs',
    title: 'Logs',
    operation: 'LogsOpen',
    filled: /^gpt|^claude|^mock/,
    empty: /No request in this time/,
    scope: 'logs.list',
  },
  {
    path: 'keys',
    title: 'Keys',
    operation: 'Keys',
    filled: /search-api/,
    empty: null,
    scope: 'api_keys.list',
  },
];
