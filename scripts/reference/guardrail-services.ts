import { isOwn, parametersOf, sectionOf, sorted } from './guardrail-checks.ts';
import { page, type ReferencePage } from './page.ts';

/** The checks that ask services, those of one vendor together where they take the same. */
export function guardrailServicesPage(): ReferencePage {
  const others = sorted.filter((check) => !isOwn(check));
  const alike = Map.groupBy(others, (check) => `${check.id.split('.')[0]}\n${parametersOf(check)}`);
  return page(
    'guardrail-services',
    'Services that check for guardrails',
    'src/guardrails/checks/partners',
    [
      'Checks that send texts to a service of another vendor, with your account there; [guardrail-checks.md](guardrail-checks.md) lists',
      'those that the gateway makes itself, and says what all checks take.',
      ...[...alike.values()].map(sectionOf),
    ].join('\n'),
  );
}
