import { createCookie } from '../console/cookie.ts';
import { type Console, type ConsoleOptions, createConsole } from '../console/door.ts';
import { createFlowCookie } from '../console/oidc/flow-cookie.ts';
import { createOidcProvider } from '../console/oidc/provider.ts';
import type { Settings } from '../settings/index.ts';
import type { Secrets } from '../storage/secrets.ts';

type Given = Omit<ConsoleOptions, 'cookie' | 'oidc' | 'publicUrl'> & {
  settings: Settings;
  secrets: Secrets;
  now: () => Date;
};

/** The doors at which people sign in, with the identity provider of the settings. */
export function createConsoleDoor({ settings, secrets, now, ...given }: Given): Console {
  const { publicUrl, consoleOidc } = settings.identity;
  const cookie = createCookie(publicUrl);
  const { directory, log } = given;
  const oidc = consoleOidc && {
    settings: consoleOidc,
    provider: createOidcProvider(consoleOidc, { now, log }),
    flowCookie: createFlowCookie(publicUrl, secrets),
    cookie,
    directory,
  };
  return createConsole({ ...given, cookie, oidc, publicUrl });
}
