declare global {
  interface Window {
    /** The secret of the address bar, which `first.js` took away. */
    sluiceSecret?: string;
  }
}

/** The secret with which the page was opened, once; null without one. */
export function takeSecret(): string | null {
  const secret = window.sluiceSecret ?? null;
  delete window.sluiceSecret;
  return secret;
}
