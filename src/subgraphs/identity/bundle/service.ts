import type { JsonObject } from '../../../lib/json.ts';
import type { GraphContext } from '../../context.ts';
import type { Bundle, BundleKind, BundlePlan, PlanBundleInput } from '../../types.generated.ts';
import { documentOf } from './documents.ts';
import { kinds } from './kinds/index.ts';
import { makePlan } from './plan.ts';
import { readWorld } from './stored.ts';

type ExportArguments = { kinds?: readonly BundleKind[] | null; bundle?: string | null };

/** What the credential may list, as documents; kinds that it names it must be able to list. */
export async function exportBundle(context: GraphContext, args: ExportArguments): Promise<Bundle> {
  const wanted = new Set(args.kinds ?? kinds.map(({ name }) => name));
  const { of, closed } = await readWorld(context, wanted);
  const leftOut = [...closed.keys()].filter((kind) => wanted.has(kind));
  const [refused] = leftOut;
  if (args.kinds && refused) throw closed.get(refused);
  const integrationOf = ({ integration }: JsonObject) =>
    of('Integration').get(String(integration))?.spec ?? null;
  const documents = kinds
    .filter(({ name }) => wanted.has(name))
    .flatMap((kind) =>
      [...of(kind.name)]
        .sort(([one], [other]) => (one < other ? -1 : 1))
        .filter(([, { entry }]) => !args.bundle || entry?.bundle === args.bundle)
        .filter(([, { spec }]) => kind.isPossible?.(spec, integrationOf(spec)) ?? true)
        .map(([, stored]) => documentOf(kind, stored, stored.entry?.bundle ?? null)),
    );
  return { documents, leftOut };
}

/** What an apply would do now. */
export async function planBundle(context: GraphContext, input: PlanBundleInput): Promise<BundlePlan> {
  const { digest, steps } = await makePlan(context, input, { needsValues: false });
  return { digest, changes: steps.map(({ change }) => change) };
}
