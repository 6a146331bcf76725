import { isOwn, parametersOf, sectionOf, sorted } from './guardrail-checks.ts';
import { page, type ReferencePage } from './page.ts';

/** The pages that share the services, by the first letter of a vendor: one page would be too long. */
const parts = [
  { name: 'guardrail-services-a-l', title: 'Services that check for guardrails, A to L', letters: /^[a-l]/ },
  { name: 'guardrail-services-m-z', title: 'Services that check for guardrails, M to Z', letters: /^[m-z]/ },
] as const;

/** The checks that ask services, those of one vendor together where they take the same. */
export const guardrailServicesPages = (): ReferencePage[] => parts.map(pageOf);

function pageOf({ name, title, letters }: (typeof parts)[number]): ReferencePage {
  const others = sorted.filter((check) => !isOwn(check) && letters.test(check.id));
  const alike = Map.groupBy(others, (check) => `${check.id.split('.')[0]}\n${parametersOf(check)}`);
  return page(
    name,
    title,
    'src/guardrails/checks/partners',
    [
      'Checks that send texts to a service of another vendor, with your account there; [guardrail-checks.md](guardrail-checks.md) lists',
      'those that the gateway makes itself, and says what all checks take.',
      ...[...alike.values()].map(sectionOf),
    ].join('\n'),
  );
}
