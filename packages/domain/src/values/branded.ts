// biome-ignore lint/plugin: a type, of which there is no value
declare const brand: unique symbol;

/** A value that only its own factory returns: a plain `string` is not accepted as an access key. */
export type Branded<Value, Name extends string> = Value & { readonly [brand]: Name };
