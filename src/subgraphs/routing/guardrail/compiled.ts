import {
  type CompiledGuardrail,
  compileGuardrail,
  type GuardrailOrigin,
  problemsOf,
} from '../../../guardrails/index.ts';
import { grownCache } from '../../../lib/grown-cache.ts';
import type { Logger } from '../../../lib/logger.ts';
import type { Secrets } from '../../../storage/secrets.ts';
import type { GuardrailDocument } from './model.ts';
import { unsealChecks } from './sealing.ts';

/** Guardrails that are kept compiled, each for one origin. */
const KEPT = 5000;

/** Compiles stored guardrails, each version once for each origin. */
export type GuardrailCompiler = {
  /** Null for one that can be run in no phase, or whose credentials cannot be read; the log says so. */
  compile(document: GuardrailDocument, origin: GuardrailOrigin): CompiledGuardrail | null;
};

export function createGuardrailCompiler({
  secrets,
  log,
}: {
  secrets: Secrets;
  log: Logger;
}): GuardrailCompiler {
  const kept = grownCache<{ compiled: CompiledGuardrail | null }>(KEPT);

  function compileAnew(document: GuardrailDocument, origin: GuardrailOrigin): CompiledGuardrail | null {
    const { _id, slug, name, versionId, actions } = document;
    try {
      const definition = { checks: unsealChecks(document.checks, secrets, _id), actions };
      const [problem] = problemsOf(definition, origin);
      if (problem) throw new Error(`${problem.path} ${problem.message}`);
      return compileGuardrail({ id: _id, slug, versionId, name, ...definition }, origin);
    } catch (error) {
      // It was sound when it was saved. One broken guardrail must not keep the others from being read.
      log.error({ error, guardrailId: _id, versionId }, 'A stored guardrail cannot be run.');
      return null;
    }
  }

  return {
    compile(document, origin) {
      // The name is no part of a version.
      const key = `${origin} ${document.versionId} ${document.name}`;
      const found = kept.get(key);
      if (found) return found.compiled;
      const compiled = compileAnew(document, origin);
      kept.set(key, { compiled });
      return compiled;
    },
  };
}
