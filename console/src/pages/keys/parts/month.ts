const MONTH_MS = 30 * 86_400_000;

/** The last thirty days. */
export const monthBefore = (): { from: string; to: string } => ({
  from: new Date(Date.now() - MONTH_MS).toISOString(),
  to: new Date().toISOString(),
});
