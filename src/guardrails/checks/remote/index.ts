import type { GuardrailCheck } from '../../check.ts';
import { inlineImageUrls } from './inline-image-urls.ts';
import { log } from './log.ts';
import { validUrls } from './valid-urls.ts';
import { webhook } from './webhook.ts';

/** Checks that ask the customer's services, or look at what texts point to. */
export const remoteChecks: readonly GuardrailCheck[] = [validUrls, inlineImageUrls, webhook, log];
