import type { ReactNode } from 'react';
import { dateAndTime, relative } from '../../../format/time.ts';
import { useZone } from '../../../shell/stored.ts';
import { Id, Section } from '../../../ui/index.ts';
import type { KeyShownQuery } from '../documents.ts';
import { KeyBudget, KeyState, ownerOf, typeOf } from './columns.tsx';

type ShownKey = NonNullable<KeyShownQuery['apiKey']>;

/** What is known of a key, its secret aside. */
export function KeyFacts({ of: key }: { of: ShownKey }) {
  const [zone] = useZone();
  const now = Date.now();
  const when = (value: string | null, none: string) =>
    value === null ? none : `${dateAndTime(value, zone)} (${relative(value, now)})`;
  const facts: [string, ReactNode][] = [
    ['State', <KeyState key="state" of={key} />],
    ['Secret', <Id key="secret">{key.key}</Id>],
    ['Id', <Id key="id">{key.id}</Id>],
    ['Type', typeOf(key)],
    ['Belongs to', ownerOf(key)],
    ['Budget', <KeyBudget key="budget" of={key} />],
    ['Last used', when(key.lastUsedAt, 'never')],
    ['Expires', when(key.expiresAt, 'never')],
    ['Made', when(key.createdAt, '')],
    ['Rotated', when(key.lastRotatedAt, 'never')],
    ...(key.rotationPolicy
      ? [['Next rotation', when(key.rotationPolicy.nextRotationAt, 'none')] as [string, string]]
      : []),
    ...(key.alertEmails.length > 0 ? [['Mails to', key.alertEmails.join(', ')] as [string, string]] : []),
  ];
  return (
    <Section title="Key" className="self-start">
      <dl className="p-4">
        {facts.map(([name, value]) => (
          <div key={name} className="grid min-h-8 grid-cols-[96px_1fr] items-center gap-2">
            <dt className="text-muted">{name}</dt>
            <dd className="min-w-0 break-words">{value}</dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}
