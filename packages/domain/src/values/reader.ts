// biome-ignore lint/plugin: a type, of which there is no value
declare const brand: unique symbol;

/** A value that only its own factory returns: a plain `string` is not an access key. */
export type Branded<Value, Name extends string> = Value & { readonly [brand]: Name };

/** An integer from 1 to 2^53-1. */
export type Identifier<Name extends string> = Branded<number, Name>;

/** A function that reads a value, or returns undefined. Its `of`, for literals and rows, throws a TypeError instead. */
export function reader<Input extends unknown[], Value>(
  expected: string,
  read: (...input: Input) => Value | undefined,
) {
  const of = (...input: Input): Value => {
    const value = read(...input);
    if (value === undefined) throw new TypeError(`not ${expected}`);
    return value;
  };
  return Object.assign((...input: Input) => read(...input), { of });
}

/** `subject`: such as `a campaign`. */
export function identifierReader<Id extends Identifier<string>>(subject: string) {
  return reader(`the number of ${subject}: an integer from 1 to 2^53-1`, (value: string | number) => {
    if (typeof value === 'string' && !/^[1-9][0-9]{0,15}$/.test(value)) return undefined;
    const number = Number(value);
    return Number.isSafeInteger(number) && number > 0 ? (number as Id) : undefined;
  });
}
