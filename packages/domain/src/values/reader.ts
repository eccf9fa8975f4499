// biome-ignore lint/plugin: a type, of which there is no value
declare const brand: unique symbol;

/** A value that only its own factory returns: a plain `string` is not accepted as an access key. */
export type Branded<Value, Name extends string> = Value & { readonly [brand]: Name };

/** An integer from 1 to 2^53-1. */
export type Identifier<Name extends string> = Branded<number, Name>;

/** Reads a value, or undefined. `of`, for literals and rows, throws a TypeError that says `what` a value is. */
export function reader<Input extends unknown[], Value>(
  what: string,
  read: (...input: Input) => Value | undefined,
) {
  const of = (...input: Input): Value => {
    const value = read(...input);
    if (value === undefined) throw new TypeError(`not ${what}`);
    return value;
  };
  return Object.assign((...input: Input) => read(...input), { of });
}

/** `whose`: such as `a campaign`. */
export function identifierReader<Id extends Identifier<string>>(whose: string) {
  return reader(`the number of ${whose}: an integer from 1 to 2^53-1`, (value: string | number) => {
    if (typeof value === 'string' && !/^[1-9][0-9]{0,15}$/.test(value)) return undefined;
    const number = Number(value);
    return Number.isSafeInteger(number) && number > 0 ? (number as Id) : undefined;
  });
}
