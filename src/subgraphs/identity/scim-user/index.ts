export { findScimUser, findScimUsers } from './find.ts';
