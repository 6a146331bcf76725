import { readdir, readFile } from 'node:fs/promises';

/** What was held at a moment. */
export type Point = { second: number; megabytes: number };

export type Sample = Point & { files: number; children: number };

/** What a process holds now. */
export async function sampleOf(pid: number, second: number): Promise<Sample> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const kilobytes = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]);
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return {
    second,
    megabytes: kilobytes / 1024,
    files: (await readdir(`/proc/${pid}/fd`)).length,
    children: children.trim().split(' ').filter(Boolean).length,
  };
}

/** Megabytes that are held more at the last moment than at the first, by the line of least squares. */
export function grownBy(samples: Point[]): number {
  const middle = (read: (each: Point) => number) =>
    samples.reduce((sum, each) => sum + read(each), 0) / samples.length;
  const [meanX, meanY] = [middle((each) => each.second), middle((each) => each.megabytes)];
  const slope =
    samples.reduce((sum, { second, megabytes }) => sum + (second - meanX) * (megabytes - meanY), 0) /
    samples.reduce((sum, { second }) => sum + (second - meanX) ** 2, 0);
  return slope * ((samples.at(-1)?.second ?? 0) - (samples[0]?.second ?? 0));
}
