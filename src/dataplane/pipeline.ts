import { authorise } from './steps/authorise.ts';
import { readBody } from './steps/read-body.ts';
import { readMetadata } from './steps/read-metadata.ts';
import { requireSaved } from './steps/require-saved.ts';
import { resolveConfig } from './steps/resolve-config.ts';
import type { Step } from './steps/step.ts';
import { route } from './steps/walk-targets.ts';

/** What happens to an authenticated call, in this order (spec/data-plane.md, section 0). */
export const steps: readonly Step[] = [
  authorise, //      the key's scopes allow this route and method
  requireSaved, //   where only saved configs are used, the request brings none of its own
  resolveConfig, //  header, saved config or key default -> plan; before the body, which decides if it must be kept
  readBody, //       bounded; JSON is parsed here and nowhere else
  readMetadata, //   for conditions and for the log
  route, //          walk the plan, call providers, stream the answer, record every attempt
];

/** The same for what becomes a session and has neither body nor answer. */
export const sessionSteps: readonly Step[] = steps.filter((step) => step !== readBody && step !== route);
