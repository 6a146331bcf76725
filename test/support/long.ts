/** Whether this is `npm run test:long`, which runs every test file that imports this one. */
export const isLong = Boolean(process.env.LONG_TESTS);

/** How often a test repeats itself: `few` times in `npm test`, `many` times in `npm run test:long`. */
export const rounds = (few: number, many: number): number => (isLong ? many : few);
