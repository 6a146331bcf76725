/**
 * How often a test repeats itself: `few` times in `npm test`, `many` times in `npm run test:long`, which runs every test
 * file that imports this one.
 */
export const rounds = (few: number, many: number): number => (process.env.LONG_TESTS ? many : few);
