import { z } from 'zod';

/** A model as requests name it. */
export const modelName = z.string().min(1).max(200);
