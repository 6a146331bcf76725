import { card, email, iban, ipAddress, phone, ssn } from './personal-data/made-up.ts';
import { prose } from './prose.ts';
import { digits, letters, type Random } from './random.ts';
import { madeUp } from './secrets/made-up.ts';

/** A private key as it is written to a file. */
const privateKey = (random: Random): string => {
  const lines = Array.from({ length: random.int(1, 5) }, () => random.text(letters + digits, 64));
  return [`-----BEGIN ${'PRIVATE'} KEY-----`, ...lines, `-----END ${'PRIVATE'} KEY-----`].join('\n');
};

const kinds: readonly ((random: Random) => string)[] = [
  (random) => card(random, true),
  (random) => card(random, false),
  email,
  (random) => iban(random, true),
  (random) => iban(random, false),
  ipAddress,
  phone,
  (random) => ssn(random, true),
  (random) => `version ${ipAddress(random)}`,
  (random) => `born on ${random.int(1, 28)}. March ${random.int(1930, 2010)}`,
  (random) => `social security number: ${ssn(random, true).replaceAll(/\D/g, '')}`,
  (random) => `the password is ${random.text(letters + digits, 12)}`,
  (random) => `curl -s https://a.example --user root:${random.text(letters + digits, 12)}`,
  (random) => `Authorization: Bearer ${random.text(letters + digits, 24)}`,
  (random) => Array.from({ length: random.int(1, 9) }, () => random.text(digits, random.int(1, 6))).join(' '),
  privateKey,
  ...Object.values(madeUp),
];

/** A text with personal data and secrets in it, and with what looks like them. */
export const confidential = (random: Random): string =>
  Array.from({ length: random.int(1, 4) }, () =>
    random.int(0, 2) === 0 ? prose(random, random.int(5, 60)) : random.pick(kinds)(random),
  ).join(random.pick([' ', ', ', '\n']));
