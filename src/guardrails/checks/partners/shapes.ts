import { z } from 'zod';
import { secretParameter, urlParameter } from '../remote/common.ts';

/** Parameters that several partners have. */

export const apiKey = secretParameter.describe('The key of your account.');

export const name = (meaning: string) => z.string().min(1).max(500).describe(meaning);

/** A part of the name of a host. */
export const hostLabel = (meaning: string) =>
  z
    .string()
    .max(200)
    .regex(/^[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?$/, 'is no part of a host name')
    .describe(meaning);

/** A segment of a path. */
export const pathSegment = (meaning: string) =>
  z
    .string()
    .max(300)
    .regex(
      /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/,
      'has characters other than letters, digits, dots, hyphens and underscores',
    )
    .describe(meaning);

export const baseUrl = (usual: string) => urlParameter.default(usual).describe('The address of the service.');

/** An address without the slashes at its end. */
export const trimmed = (url: string): string => url.replace(/\/+$/, '');
