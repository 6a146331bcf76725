const NANODOLLARS_OF_A_CENT = 10_000_000;

/** Money as logs store it, in the US cents that the graph shows. */
export const cents = (stored: number | null | undefined): number | null =>
  stored == null ? null : stored / NANODOLLARS_OF_A_CENT;

/** US cents of a caller as logs store money. */
export const nanodollars = (asked: number | null | undefined): number | null =>
  asked == null ? null : Math.round(asked * NANODOLLARS_OF_A_CENT);
