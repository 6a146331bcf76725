import { useCallback, useEffect, useRef, useState } from 'react';
import type { GuardrailRan } from '../../../checks/ran.ts';
import { useWorkspace } from '../../../data/workspace.ts';
import { type Called, callModel, type Ended, type Heard } from './call.ts';
import { type ToolCall, withPieces } from './tool-calls.ts';

export type Run = {
  text: string;
  /** Functions that the model wants called. */
  tools: readonly ToolCall[];
  /** Guardrails that looked at the call. */
  checks: readonly GuardrailRan[];
  /** Milliseconds until the first text; null before it. */
  firstText: number | null;
  isRunning: boolean;
  ended: Ended | null;
  /** Why there is no answer: a stop, or a network that is away. */
  problem: string | null;
};

export const idle: Run = {
  text: '',
  tools: [],
  checks: [],
  firstText: null,
  isRunning: false,
  ended: null,
  problem: null,
};

/** One call at a time, whose text is drawn once a frame. */
export function useRun(): [Run, (call: Pick<Called, 'body' | 'config' | 'path'>) => void, () => void] {
  const workspace = useWorkspace();
  const [run, setRun] = useState(idle);
  const aborting = useRef<AbortController | null>(null);
  const stop = useCallback(() => aborting.current?.abort(), []);
  useEffect(() => stop, [stop]);

  const start = useCallback(
    (call: Pick<Called, 'body' | 'config' | 'path'>) => {
      aborting.current?.abort();
      const own = new AbortController();
      aborting.current = own;
      const started = performance.now();
      let text = '';
      let tools: readonly ToolCall[] = [];
      let checks: readonly GuardrailRan[] = [];
      let firstText: number | null = null;
      let frame = 0;
      const draw = () => {
        frame = 0;
        if (!own.signal.aborted) setRun((before) => ({ ...before, text, firstText }));
      };
      const onText = (more: string) => {
        firstText ??= performance.now() - started;
        text += more;
        frame ||= requestAnimationFrame(draw);
      };
      const onTools: Heard['onTools'] = (pieces) => {
        tools = withPieces(tools, pieces);
      };
      // An event tells of one phase or of both.
      const onChecks: Heard['onChecks'] = (ran) => {
        checks = [...checks.filter(({ phase }) => ran.every((one) => one.phase !== phase)), ...ran];
      };
      const end = (outcome: Partial<Run>) => {
        if (frame !== 0) cancelAnimationFrame(frame);
        // A call that another one has taken the place of is shown no more.
        if (aborting.current === own) setRun({ ...idle, text, tools, checks, firstText, ...outcome });
      };
      setRun({ ...idle, isRunning: true });
      callModel({ ...call, workspace, signal: own.signal }, { onText, onTools, onChecks }).then(
        (ended) => end({ ended }),
        (error: Error) => end({ problem: own.signal.aborted ? 'Stopped.' : error.message }),
      );
    },
    [workspace],
  );
  return [run, start, stop];
}
