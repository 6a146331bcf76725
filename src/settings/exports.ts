import { z } from 'zod';
import { flag, integer } from './values.ts';

/** A bucket of any storage that speaks the S3 protocol. */
export type S3Bucket = {
  /** Without the bucket, e.g. `https://s3.eu-west-1.amazonaws.com`; buckets are addressed by path. */
  endpoint: string;
  bucket: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
};

const text = z.string().max(256).optional();

/** The bucket that finished log exports and files go to: all of these, or none. */
export const exportSettings = {
  EXPORT_S3_ENDPOINT: z
    .url({ protocol: /^https?$/, error: 'must be a URL with http or https' })
    .transform((url) => url.replace(/\/+$/, ''))
    .optional()
    .describe(
      'S3-compatible storage that log exports and files go to, e.g. `https://s3.eu-west-1.amazonaws.com`; ' +
        'without it they lie in `DATA_DIR/exports` and `DATA_DIR/files`',
    ),
  EXPORT_S3_BUCKET: z
    .string()
    .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'must be the name of a bucket')
    .optional()
    .describe('the bucket; like the next three, it is set together with the endpoint'),
  EXPORT_S3_REGION: text.describe('the region of the bucket'),
  EXPORT_S3_ACCESS_KEY_ID: text.describe('credential that may write, read and delete objects of the bucket'),
  EXPORT_S3_SECRET_ACCESS_KEY: text.describe('the secret of that credential'),
};

/** The other place for contents that several machines share. */
export const contentSettings = {
  CONTENTS_IN_DATABASE: flag(false).describe(
    'whether log exports and files lie in the database (GridFS) in place of `DATA_DIR`: for processes on several machines that ' +
      'have no bucket, since each byte goes through the database; not together with `EXPORT_S3_ENDPOINT`',
  ),
};

type Name = keyof typeof exportSettings;
type Values = { [K in Name]?: string | undefined };

const names = Object.keys(exportSettings) as Name[];

type Mistake = { path: string[]; message: string };

/** What is wrong with the place of contents: two of them, or a bucket of which something is missing. */
export const mistakesOfContents = (values: Record<string, unknown>): Mistake[] =>
  values.CONTENTS_IN_DATABASE === 'true' && values.EXPORT_S3_ENDPOINT !== undefined
    ? [{ path: ['CONTENTS_IN_DATABASE'], message: 'must not be set together with EXPORT_S3_ENDPOINT' }]
    : missingOfBucket(values);

function missingOfBucket(values: Record<string, unknown>): Mistake[] {
  const missing = names.filter((name) => values[name] === undefined);
  if (missing.length === names.length) return [];
  return missing.map((name) => ({ path: [name], message: 'must be set like the other EXPORT_S3_ settings' }));
}

export const exportBucket = (values: Values): S3Bucket | null =>
  values.EXPORT_S3_ENDPOINT === undefined
    ? null
    : {
        endpoint: values.EXPORT_S3_ENDPOINT,
        bucket: values.EXPORT_S3_BUCKET ?? '',
        region: values.EXPORT_S3_REGION ?? '',
        accessKeyId: values.EXPORT_S3_ACCESS_KEY_ID ?? '',
        secretAccessKey: values.EXPORT_S3_SECRET_ACCESS_KEY ?? '',
      };

/** Settings of the files that the gateway keeps. */
export const fileSettings = {
  FILE_MAX_BYTES: integer(512 * 1024 ** 2, 1, 8 * 1024 ** 3).describe(
    'bytes of the largest file that one request may bring; an upload in parts may have 8 GiB in all',
  ),
  BATCH_CALLS_AT_ONCE: integer(8, 1, 1000).describe(
    'calls that one process makes for the lines of batches at the same time',
  ),
  FILE_SCAN_URL: z
    .url({ protocol: /^https?$/, error: 'must be a URL with http or https' })
    .optional()
    .describe(
      'a scanner that is asked about each file that a caller brings, before anybody can use it: a POST of its bytes, ' +
        'answered with `{"verdict": "clean"}`, or `"infected"` and a `reason`; a file without a verdict is refused',
    ),
  FILE_WORKSPACE_BYTES: integer(100 * 1024 ** 3, 0, 2 ** 50).describe(
    'bytes that the files of a workspace may have together; equal contents count once',
  ),
};
