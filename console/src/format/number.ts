const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat('en-US', { notation: 'compact', maximumSignificantDigits: 3 });
const fine = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 2 });
const tenth = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });

/** What stands where there is no value. */
export const NONE = '–';

/** `12,408`. */
export const count = (value: number | null | undefined): string =>
  value === null || value === undefined ? NONE : whole.format(value);

/** `12.4K`, for places where a whole number does not fit; small numbers stay whole. */
export const shortCount = (value: number): string =>
  Math.abs(value) < 10_000 ? whole.format(value) : short.format(value);

/** A share of 1 as `61 %`; small shares keep their first digits, so that something is never `0 %`. */
export function percent(share: number | null | undefined): string {
  if (share === null || share === undefined || !Number.isFinite(share)) return NONE;
  const value = share * 100;
  if (value === 0) return '0 %';
  if (Math.abs(value) < 1) return `${fine.format(value)} %`;
  // 99.96 is less than everything, and is not to be shown as that.
  if (value < 100 && value > 99.9) return '> 99.9 %';
  return `${tenth.format(value)} %`;
}

/** From this multiple on a percentage says nothing: what there was before was too little to compare with. */
const TOO_LITTLE = 100;

/** The change from one value to another as `+12 %`; next to nothing to compare with is `new`. */
export function change(now: number, before: number): string {
  if (before === 0 && now === 0) return '±0 %';
  if (before * TOO_LITTLE < now) return 'new';
  const value = Math.round(((now - before) / before) * 100);
  return value === 0 ? '±0 %' : `${value > 0 ? '+' : '−'}${whole.format(Math.abs(value))} %`;
}

/** `1 log`, `2 logs`. */
export const counted = (value: number, noun: string, plural = `${noun}s`): string =>
  `${count(value)} ${value === 1 ? noun : plural}`;

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

/** `512 KiB`. */
export function bytes(value: number): string {
  const power = value < 1 ? 0 : Math.min(Math.floor(Math.log2(value) / 10), units.length - 1);
  return `${tenth.format(value / 1024 ** power)} ${units[power]}`;
}
