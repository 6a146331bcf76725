import { type DecodedRun, decodedRuns } from './decoded.ts';
import { mayHide } from './may-hide.ts';

/** What no coded run has in it, in any coding: a space behind something that is neither a digit of hex nor between such digits. */
const isGap = (text: string, at: number): boolean =>
  text[at - 1] === ' ' && !/[0-9a-fA-FxX :,;\r\n-]/.test(text[at - 2] ?? ' ');

/**
 * The coded runs around the joints of a text that was put together. Most of a long text is far from any joint, and was decoded
 * part by part. Joints are in their order.
 */
export function decodedAcross(text: string, joints: readonly number[]): DecodedRun[] {
  const found: DecodedRun[] = [];
  let end = 0;
  for (const joint of joints) {
    // It lay within what was looked at for the joint before.
    if (joint < end) continue;
    let start = joint;
    while (start > end && !isGap(text, start)) start--;
    end = joint;
    while (end < text.length && !isGap(text, end)) end++;
    const around = text.slice(start, end);
    if (!mayHide(around)) continue;
    for (const run of decodedRuns(around))
      found.push({
        ...run,
        start: run.start + start,
        end: run.end + start,
        starts: run.starts?.map((at) => at + start) ?? null,
      });
  }
  return found;
}
