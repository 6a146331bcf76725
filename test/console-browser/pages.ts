/** A page as the tests that hold for all pages need it. */
export type TestedPage = {
  path: string;
  /** Its heading. */
  title: string;
  /** The operation without whose answer it shows nothing. */
  operation: string;
  /** What is to be seen once the answer is there. */
  filled: RegExp;
  /** What a fresh workspace shows. */
  empty: RegExp;
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
];
