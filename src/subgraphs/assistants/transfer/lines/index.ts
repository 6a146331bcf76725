import type { JsonObject } from '../../../../lib/json.ts';
import { takeAssistant } from './assistant.ts';
import { takeMessage } from './message.ts';
import { takeRun } from './run.ts';
import type { Scene } from './scene.ts';
import { takeStep } from './step.ts';
import { takeThread } from './thread.ts';

/** Stores what a line says; false where it was there. Throws VALIDATION_FAILED, before anything is stored. */
export type Importer = {
  take(scene: Scene, value: JsonObject): Promise<boolean>;
  plural: 'assistants' | 'threads' | 'messages' | 'runs' | 'steps';
};

/** What a line may be, by its `object`. */
export const importers = {
  assistant: { take: takeAssistant, plural: 'assistants' },
  thread: { take: takeThread, plural: 'threads' },
  'thread.message': { take: takeMessage, plural: 'messages' },
  'thread.run': { take: takeRun, plural: 'runs' },
  'thread.run.step': { take: takeStep, plural: 'steps' },
} as const satisfies Record<string, Importer>;

export type LineKind = keyof typeof importers;
