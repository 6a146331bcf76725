import { z } from 'zod';
import { nameList } from './name-list.ts';

const isOrigin = (text: string): boolean => text === '*' || URL.parse(text)?.origin === text;

/** Origins whose pages may call this service from a browser; `*` for all. */
export const corsOrigins = nameList.pipe(
  z
    .array(z.string().refine(isOrigin, 'must be origins such as https://dashboard.example.com, or *'))
    .max(100, 'takes at most 100 origins'),
);
