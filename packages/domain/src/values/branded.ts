// biome-ignore lint/plugin: a type, of which there is no value
declare const brand: unique symbol;

/** A value that only its own maker function hands out: a `string` does not pass for an access key. */
export type Branded<Value, Name extends string> = Value & { readonly [brand]: Name };
