import type { UserDocument } from './model.ts';

/** False for users whom the identity provider has deactivated. */
export const isActive = ({ status }: Pick<UserDocument, 'status'>): boolean => status !== 'inactive';

/** The name by which the identity provider knows a user, as it writes it; the address for whom it has not named. */
export const userNameOf = ({ provisioned, email }: Pick<UserDocument, 'provisioned' | 'email'>): string =>
  provisioned?.userName ?? email;
