import { z } from 'zod';
import { isNetwork } from '../lib/http/addresses.ts';
import { nameList } from './name-list.ts';

/** Proxies whose word about clients counts. */
export const proxySettings = {
  TRUSTED_PROXIES: nameList
    .pipe(
      z
        .array(z.string().refine(isNetwork, 'must be addresses or networks such as 10.0.0.0/8'))
        .max(50, 'takes at most 50 entries'),
    )
    .default([])
    .describe(
      'comma list of addresses and networks (`10.0.0.0/8`) of the proxies in front: whom they name in `X-Forwarded-For` ' +
        'is the client in the audit trail and for the brake on guessed credentials; without it whoever connects is',
    ),
};
