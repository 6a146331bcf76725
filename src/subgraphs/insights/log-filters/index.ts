export { findLogQuery } from './find-query.ts';
export { cents, nanodollars } from './money.ts';
export { countNarrowed, readNarrowed } from './narrowed.ts';
export { withinOwn } from './own.ts';
export { logQuery } from './query.ts';
export {
  filtersDimensions,
  filtersLateDimensions,
  filtersRows,
  needsLogs,
  rowMatcher,
} from './rows.ts';
export { type TimeQuestion, timesOf } from './times.ts';
export { type RollupView, viewOf } from './view.ts';
