import type { Connection } from 'mongoose';
import {
  type CompiledGuardrail,
  compileGuardrail,
  type GuardrailOrigin,
  problemsOf,
  type ReadSecret,
} from '../../../guardrails/index.ts';
import { grownCache } from '../../../lib/grown-cache.ts';
import type { Logger } from '../../../lib/logger.ts';
import { SecretProblem } from '../../../secret-managers/index.ts';
import type { SecretMemory } from '../../../secret-managers/memory.ts';
import type { Secrets } from '../../../storage/secrets.ts';
import { loadSecretReferencesBySlug, type UsableReference } from '../../catalog/secret-reference/index.ts';
import type { GuardrailDocument } from './model.ts';
import { unsealChecks } from './sealing.ts';

/** Guardrails that are kept compiled, each for one origin. */
const KEPT = 5000;

/** Compiles stored guardrails, each version once for each origin. */
export type GuardrailCompiler = {
  /** Reads the secret references of guardrails anew: what is compiled goes by them from now on. */
  readReferences(db: Connection, documents: readonly GuardrailDocument[]): Promise<void>;
  /** Null for one that can be run in no phase, or whose credentials cannot be read; the log says so. */
  compile(document: GuardrailDocument, origin: GuardrailOrigin): CompiledGuardrail | null;
};

type Given = {
  secrets: Secrets;
  /** It is made after the directory that compiles. */
  secretMemory: () => Pick<SecretMemory, 'get'>;
  log: Logger;
};

export function createGuardrailCompiler({ secrets, secretMemory, log }: Given): GuardrailCompiler {
  const kept = grownCache<{ compiled: CompiledGuardrail | null }>(KEPT);
  /** By `<organisationId>/<slug>`, as they were last read. */
  const references = new Map<string, UsableReference>();

  const readerFor =
    ({ organisationId, workspaceId }: GuardrailDocument): ReadSecret =>
    async ({ reference, member }) => {
      const found = references.get(`${organisationId}/${reference}`);
      if (!found || (workspaceId !== null && !found.isUsableIn(workspaceId)))
        throw new Error(`The secret reference ${reference} is gone, or may not be used here.`);
      try {
        return (await secretMemory().get(found.source)).pick(member ?? found.secretKey, null);
      } catch (error) {
        if (!(error instanceof SecretProblem)) throw error;
        throw new Error(`The secret reference ${reference} is ${error.fault}.`, { cause: error });
      }
    };

  function compileAnew(document: GuardrailDocument, origin: GuardrailOrigin): CompiledGuardrail | null {
    const { _id, slug, name, versionId, actions } = document;
    try {
      const definition = { checks: unsealChecks(document.checks, secrets, _id), actions };
      const [problem] = problemsOf(definition, origin);
      if (problem) throw new Error(`${problem.path} ${problem.message}`);
      return compileGuardrail({ id: _id, slug, versionId, name, ...definition }, origin, readerFor(document));
    } catch (error) {
      // It was sound when it was saved. One broken guardrail must not keep the others from being read.
      log.error({ error, guardrailId: _id, versionId }, 'A stored guardrail cannot be run.');
      return null;
    }
  }

  return {
    async readReferences(db, documents) {
      const users = documents.filter(({ secretReferences }) => secretReferences?.length > 0);
      if (users.length === 0) return;
      const wanted = {
        organisations: users.map(({ organisationId }) => organisationId),
        slugs: users.flatMap(({ secretReferences }) => secretReferences),
      };
      const found = await loadSecretReferencesBySlug(db, secrets, wanted);
      for (const { organisationId, secretReferences } of users)
        for (const slug of secretReferences) {
          const name = `${organisationId}/${slug}`;
          const reference = found.get(name);
          if (reference) references.set(name, reference);
          else references.delete(name);
        }
    },
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
