import { ownUser, type Principal } from '../../../auth/index.ts';
import type { LogFilters } from '../../types.generated.ts';

/** The filters, narrowed to the requests of the principal's own user where it may see no others. */
export function withinOwn<F extends Pick<LogFilters, 'userId'>>(principal: Principal, filters: F): F {
  if (!principal.ownOnly?.has('requests')) return filters;
  const own = ownUser(principal).filter((id) => filters.userId?.includes(id) ?? true);
  return { ...filters, userId: own };
}
