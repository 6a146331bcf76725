import type { TokenUnit } from './units.ts';

/** US cents for one of a unit. */
export type Price = { price: number };

/** What a model costs, as the API shows it and takes it. */
export type PriceList = {
  pay_as_you_go: Partial<Record<TokenUnit, Price>> & {
    additional_units?: Record<string, Price>;
    /** By quality and size, with `default` for the others. */
    image?: Record<string, Record<string, Price>>;
  };
  /** How the quantities come together, where it is not unit by unit. */
  calculate?: { request?: Calculation; response?: Calculation };
  currency?: 'USD';
  finetune_config?: { pay_per_token?: Price; pay_per_hour?: Price };
};

/** An expression over quantities and prices: `input_tokens`, `output_tokens`, `cache_read_tokens`, `cache_write_tokens`, `rates.<unit>`. */
export type Calculation = { operation: 'sum' | 'multiply'; operands: Operand[] };
export type Operand = Calculation | { value: string };

/** Factors on the prices of an integration; null is as good as absent. */
export type Multipliers = Partial<Record<TokenUnit | 'default', number | null>> & {
  image?: { default?: number | null } | null;
  additional_units?: Record<string, number | null> | null;
};

/** What an integration and its model say about the price of a call. Null stands for "nothing of all this". */
export type OwnPricing = {
  /** The administrator's own list, in the place of the catalogue's. */
  list: PriceList | null;
  /** The known model whose price a custom one has. */
  baseModel: string | null;
  multipliers: Multipliers | null;
} | null;
