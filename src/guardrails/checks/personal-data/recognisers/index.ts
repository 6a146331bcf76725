import type { Recogniser } from '../recogniser.ts';
import { creditCard } from './credit-card.ts';
import { dateOfBirth } from './date-of-birth.ts';
import { emailAddress } from './email-address.ts';
import { iban } from './iban.ts';
import { ipAddress } from './ip-address.ts';
import { macAddress } from './mac-address.ts';
import { phoneNumber } from './phone-number.ts';
import { socialSecurityNumber } from './social-security-number.ts';

/** All kinds of personal data that are known by their form. Where two find the same text, the first names it. */
export const recognisers: readonly Recogniser[] = [
  emailAddress,
  creditCard,
  iban,
  socialSecurityNumber,
  ipAddress,
  macAddress,
  dateOfBirth,
  phoneNumber,
];
