const longest = 2 ** 31 - 1;

/** A stored duration as an Int; logs from elsewhere may say more than 24 days. */
export const wholeMilliseconds = (stored: number): number => Math.min(Math.round(stored), longest);
