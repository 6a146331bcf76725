import type { GuardrailCheck } from '../../../check.ts';
import { acuvity } from './acuvity.ts';
import { akto } from './akto.ts';
import { alibaba } from './alibaba.ts';
import { aporia } from './aporia.ts';
import { cato } from './cato.ts';
import { lasso } from './lasso.ts';
import { mistralModeration } from './mistral.ts';
import { pangeaPii, pangeaTextGuard } from './pangea.ts';
import { patronus } from './patronus.ts';
import { pillar } from './pillar.ts';
import { prismaAirs } from './prisma-airs.ts';
import { promptSecurity } from './prompt-security.ts';
import { promptfoo } from './promptfoo.ts';
import { qualifire } from './qualifire.ts';
import { qualifireToolUse } from './qualifire-tool-use.ts';
import { crowdstrikeAidr, f5Guardrails, javelin, sydeguard, walledProtect } from './scanners.ts';
import { singulr } from './singulr.ts';
import { zscaler } from './zscaler.ts';

/** Vendors of guardrails. */
export const vendorChecks: readonly GuardrailCheck[] = [
  mistralModeration,
  prismaAirs,
  aporia,
  lasso,
  pangeaTextGuard,
  pangeaPii,
  ...patronus,
  ...pillar,
  ...promptfoo,
  ...promptSecurity,
  ...qualifire,
  qualifireToolUse,
  sydeguard,
  walledProtect,
  f5Guardrails,
  crowdstrikeAidr,
  javelin,
  acuvity,
  akto,
  alibaba,
  cato,
  singulr,
  zscaler,
];
