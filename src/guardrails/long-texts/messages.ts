import type { CheckFinding, Phase, TextEdit } from '../check.ts';
import type { FoundSegment } from '../segments/index.ts';

/** A check as another thread can make it again. */
export type WrittenCheck = { id: string; parameters: unknown };

/** `segments`: the texts in the scope of the check. */
export type LongExamination = WrittenCheck & { phase: Phase; segments: readonly FoundSegment[] };

/** An edit whose segment is told by its index. */
export type FarEdit = Omit<TextEdit, 'segment'> & { segment: number };

/** `edits`: in the texts that were sent; those of the finding itself are left out. */
export type FarFinding = { finding: CheckFinding; edits: readonly FarEdit[] };

/** What a thread that checks long texts answers. */
export type CheckCalls = {
  /** Makes a check ready: what it compiles does not count as its time. */
  prepare(check: WrittenCheck): null;
  examine(examination: LongExamination): FarFinding | Promise<FarFinding>;
};
