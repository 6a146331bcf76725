export { type Attribute, always, anyCaseText, exactText, flag, moment } from './attributes.ts';
export { findScimList, type ScimList, type ScimQuery } from './find.ts';
export { invalidFilter } from './parse.ts';
