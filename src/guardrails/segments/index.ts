export { type FoundSegment, NO_TEXTS, type ReadTexts, unreadableTexts } from './found.ts';
export { Placeholders } from './placeholders.ts';
export { NAME, readJson } from './read-json.ts';
export { inScope } from './scope.ts';
export { isBytes } from './views/decoded.ts';
export { type TextView, viewsOf } from './views/index.ts';
export { withEdits } from './write-back.ts';
