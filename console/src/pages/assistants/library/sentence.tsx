import { counted } from '../../../format/number.ts';

type SentenceProps = {
  of: { data: readonly unknown[]; hasMore: boolean };
  noun: string;
  plural?: string;
  more: string;
};

/** How much a list has, above it. */
export const Sentence = ({ of: { data, hasMore }, noun, plural, more }: SentenceProps) => (
  <p className="px-4 py-3 text-muted sm:px-6">
    {counted(data.length, noun, plural)}
    {hasMore && ' and older ones'}; {more}.
  </p>
);
