export { type FoundSegment, NO_TEXTS, type ReadTexts, unreadableTexts } from './found.ts';
export { tokenMembers } from './member-names.ts';
export { Placeholders } from './placeholders.ts';
export { NAME, readJson } from './read-json.ts';
export { inScope } from './scope.ts';
export { legible } from './views/bytes.ts';
export { isBytes } from './views/decoded.ts';
export { type TextView, viewsOf } from './views/index.ts';
export { withEdits, withText } from './write-back.ts';
