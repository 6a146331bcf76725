import { runFinder } from '../../../lib/character-run.ts';

/** Characters beyond ASCII, and escapes. */
const marks = [/[^\0-\x7f]/, /%u?[0-9a-fA-F]{2}/, /\\[uUx]/, /&#/, /;base64,/i];
/** Lines that may be one run of base64, read from the break between them, so that a text without breaks costs next to nothing. */
const brokenRun = /(?<=[\w+/-]{4})(?:\r?\n|\\n)[\w+/-]{4}/;
/** Numbers of bytes, looked for only in a text with a run of what they are written with: few texts have one. */
const bytes = /(?=[0-9a-fA-FxX :,;\r\n-]{16})(?:[0-9a-fA-F]{2}){1,8}[ :,;\r\n-]/;
const mayHaveBytes = runFinder((character) => /[0-9a-fA-FxX :,;\r\n-]/.test(character), 16);
const hasLongRun = runFinder((character) => /\S/.test(character), 16);

/** Whether a text may read otherwise than it is written. Of prose it says no at a hundredth of what decoding costs. */
export const mayHide = (text: string): boolean =>
  marks.some((mark) => mark.test(text)) ||
  hasLongRun(text) ||
  (mayHaveBytes(text) && bytes.test(text)) ||
  brokenRun.test(text);
