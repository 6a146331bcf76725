import { createDuty, type Duty } from '../../../../storage/duty.ts';
import { apiKeyModel } from '../model.ts';
import { rotateDueKeys, rotationIsDue } from './rotate-due.ts';
import { newsIsDue, noticeIsDue, tellOfExpiries, tellOfRotations } from './tell.ts';
import type { UpkeepOptions } from './upkeep.ts';

/** Rotates keys by their policies, and tells people of rotations and of keys that expire soon. */
export function createKeyUpkeep(options: UpkeepOptions): Pick<Duty, 'start' | 'stop'> {
  const { db, now } = options;
  return createDuty({
    ...options,
    name: 'API keys',
    async isDue() {
      const questions = [rotationIsDue(now()), newsIsDue(), noticeIsDue(now())];
      const found = await Promise.all(questions.map((question) => apiKeyModel(db).exists(question)));
      return found.some((key) => key !== null);
    },
    async work(signal) {
      await rotateDueKeys(options, signal);
      await tellOfRotations(options, signal);
      await tellOfExpiries(options, signal);
    },
  });
}
