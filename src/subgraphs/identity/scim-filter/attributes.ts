import { type FilterCondition, invalidFilter } from './parse.ts';

/** Makes a condition of the store of one on an attribute, or several, of which one has to hold; each has an index. */
export type Attribute = (condition: FilterCondition) => object | object[] | Promise<object>;

type Simple = (condition: FilterCondition) => object;

const refused = ({ path, op }: FilterCondition, ops: string) =>
  invalidFilter(`A filter cannot say ${op} of ${path} here; it can say ${ops}.`);

const textOf = (condition: FilterCondition): string => {
  if (typeof condition.value === 'string') return condition.value;
  throw invalidFilter(`A filter compares ${condition.path} with a text.`);
};

const nothing = { _id: null };

/** A text whose case counts. */
export const exactText =
  (field: string): Simple =>
  (condition) => {
    if (condition.op === 'pr') return { [field]: { $gt: '' } };
    if (condition.op === 'eq') return { [field]: textOf(condition) };
    throw refused(condition, 'eq and pr');
  };

/** A text that is stored in lower case, since case does not count. */
export const anyCaseText =
  (field: string): Simple =>
  (condition) => {
    if (condition.op === 'pr') return { [field]: { $gt: '' } };
    const value = () => textOf(condition).toLowerCase();
    if (condition.op === 'eq') return { [field]: value() };
    if (condition.op === 'sw') return { [field]: { $gte: value(), $lt: `${value()}\u{10ffff}` } };
    throw refused(condition, 'eq, sw and pr');
  };

const comparisons: Record<string, string> = { eq: '$eq', gt: '$gt', ge: '$gte', lt: '$lt', le: '$lte' };

export const moment =
  (field: string): Simple =>
  (condition) => {
    if (condition.op === 'pr') return { [field]: { $ne: null } };
    const comparison = comparisons[condition.op];
    if (!comparison) throw refused(condition, 'eq, gt, ge, lt, le and pr');
    const value = new Date(textOf(condition));
    if (Number.isNaN(value.getTime()))
      throw invalidFilter(`A filter compares ${condition.path} with a dateTime.`);
    return { [field]: { [comparison]: value } };
  };

/** What an attribute says of everybody. */
export const always =
  (constant: string | boolean): Simple =>
  (condition) => {
    if (condition.op === 'pr') return {};
    if (condition.op !== 'eq') throw refused(condition, 'eq and pr');
    return condition.value === constant ? {} : nothing;
  };

/** True or false; `when` is the condition for true, `otherwise` that for false. */
export const flag =
  (when: object, otherwise: object): Simple =>
  (condition) => {
    if (condition.op === 'pr') return {};
    if (condition.op !== 'eq' || typeof condition.value !== 'boolean')
      throw refused(condition, 'eq true, eq false and pr');
    return condition.value ? when : otherwise;
  };
