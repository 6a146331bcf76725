/** What a call was counted by: the limit, the unit of the amount, and the amount: nanodollars, tokens or requests. */
export type CountedLimit = [limitId: string, unit: 'cost' | 'tokens' | 'requests', amount: number];

/** Why a limit refused a call: the code of the error, and what it said of the limit. */
export type LimitRefusal = {
  code: string;
  limit: {
    id: string;
    level: string;
    name: string;
    unit: string;
    value: number;
    used: number;
    held: number;
    needed: number | null;
  };
};

/** Limits that one log names; a call may come under any number of policies. */
const MOST = 100;

/** As a log stores it: text takes half the room of documents. Null for none. */
export const encodeCounted = (counted: readonly CountedLimit[]): string | null =>
  counted.length === 0 ? null : JSON.stringify(counted.slice(0, MOST));

export const decodeCounted = (text: string): CountedLimit[] => JSON.parse(text) as CountedLimit[];

export const encodeRefusal = (refusal: LimitRefusal | null): string | null =>
  refusal && JSON.stringify(refusal);

export const decodeRefusal = (text: string): LimitRefusal => JSON.parse(text) as LimitRefusal;
