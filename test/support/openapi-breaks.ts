type Json = Readonly<Record<string, unknown>>;

/** An OpenAPI document. */
export type Document = Json & { readonly info?: { readonly version?: string } };

/**
 * What breaks callers of `before` when `now` takes its place, a line each: what is gone (paths, methods, statuses,
 * headers, media types, fields of answers), what is asked for anew, and types that are narrower in a request or wider
 * in an answer. Further fields, headers and statuses of answers break nobody: callers are told to ignore those.
 */
export function breaks(before: Document, now: Document): string[] {
  const found: string[] = [];
  const old = resolver(before);
  const recent = resolver(now);
  const methods = (document: Document) =>
    Object.entries(object(document.paths)).flatMap(([path, item]) =>
      Object.entries(object(item)).map(
        ([method, operation]) => [`${method.toUpperCase()} ${path}`, operation] as const,
      ),
    );
  const offered = new Map(methods(now));
  for (const [name, operation] of methods(before)) {
    const after = offered.get(name);
    if (after === undefined) found.push(`${name} is gone`);
    else compareOperations(name, object(operation), object(after));
  }
  return found;

  function compareOperations(name: string, was: Json, is: Json) {
    compareParameters(name, was, is);
    compareRequests(name, old(was.requestBody), recent(is.requestBody));
    if (JSON.stringify(securityOf(before, was)) !== JSON.stringify(securityOf(now, is))) {
      found.push(`${name} is authenticated in another way`);
    }
    const responses = object(is.responses);
    for (const [status, response] of Object.entries(object(was.responses))) {
      const other = responses[status];
      if (other === undefined) found.push(`${name} has no answer ${status} any more`);
      else compareAnswers(`${name} ${status}`, old(response), recent(other));
    }
  }

  function compareParameters(name: string, was: Json, is: Json) {
    const key = (one: Json) => `${one.in} ${one.name}`;
    const known = new Map(
      list(was.parameters)
        .map(old)
        .map((one) => [key(one), one]),
    );
    const asked = new Map(
      list(is.parameters)
        .map(recent)
        .map((one) => [key(one), one]),
    );
    for (const [where, one] of asked) {
      const former = known.get(where);
      if (one.required === true && former?.required !== true)
        found.push(`${name} needs the parameter ${where}`);
      if (former) request(`${name} parameter ${where}`, former.schema, one.schema);
    }
    for (const where of known.keys()) {
      if (!asked.has(where)) found.push(`${name} has no parameter ${where} any more`);
    }
  }

  function compareRequests(name: string, was: Json, is: Json) {
    if (is.required === true && was.required !== true) found.push(`${name} needs a body`);
    const taken = object(is.content);
    for (const [type, media] of Object.entries(object(was.content))) {
      const other = taken[type];
      if (other === undefined) found.push(`${name} does not take ${type} any more`);
      else request(`${name} request`, object(media).schema, object(other).schema);
    }
  }

  function compareAnswers(name: string, was: Json, is: Json) {
    const headers = object(is.headers);
    for (const [header, one] of Object.entries(object(was.headers))) {
      if (headers[header] === undefined) found.push(`${name} has no header ${header} any more`);
      else if (old(one).required === true && recent(headers[header]).required !== true) {
        found.push(`${name} may be without the header ${header}`);
      }
    }
    const given = object(is.content);
    for (const [type, media] of Object.entries(object(was.content))) {
      const other = given[type];
      if (other === undefined) found.push(`${name} is not ${type} any more`);
      else answer(`${name} answer`, object(media).schema, object(other).schema);
    }
  }

  /** A request that was right before has to be right now. */
  function request(where: string, was: unknown, is: unknown) {
    narrower(where, { schema: recent(is), resolve: recent }, { schema: old(was), resolve: old });
  }

  /** An answer now has to be one that was announced before. */
  function answer(where: string, was: unknown, is: unknown) {
    narrower(where, { schema: old(was), resolve: old }, { schema: recent(is), resolve: recent });
  }

  /** Where `taker` does not take all that `giver` may give. */
  function narrower(where: string, taker: Side, giver: Side) {
    const [taken, given] = [taker.schema, giver.schema];
    const odd = list(given.type).filter((type) => !takes(list(taken.type), type));
    if (taken.type !== undefined && (given.type === undefined || odd.length > 0)) {
      found.push(`${where}: the type ${odd.join(', ') || 'any'} does not fit ${list(taken.type).join(', ')}`);
    }
    for (const [bound, isWithin] of Object.entries(bounds)) {
      if (taken[bound] === undefined || isWithin(given[bound], taken[bound])) continue;
      found.push(`${where}: ${bound} ${given[bound] ?? 'none'} does not fit ${taken[bound]}`);
    }
    for (const name of list(taken.required)) {
      if (!list(given.required).includes(name)) found.push(`${where}.${name} is needed, and may be missing`);
    }
    const [ofTaker, ofGiver] = [object(taken.properties), object(given.properties)];
    for (const name of new Set([...Object.keys(ofTaker), ...Object.keys(ofGiver)])) {
      const inside = { taker: ofTaker[name], giver: ofGiver[name] };
      if (inside.taker !== undefined && inside.giver !== undefined) {
        narrower(`${where}.${name}`, within(taker, inside.taker), within(giver, inside.giver));
      } else if ((inside.taker === undefined ? giver : taker).resolve === old)
        found.push(`${where}.${name} is gone`);
    }
    if (taken.items !== undefined && given.items !== undefined) {
      narrower(`${where}[]`, within(taker, taken.items), within(giver, given.items));
    }
  }
}

/** A schema, and the document that it is of. */
interface Side {
  readonly schema: Json;
  readonly resolve: Resolve;
}

const within = ({ resolve }: Side, schema: unknown): Side => ({ schema: resolve(schema), resolve });

type Resolve = (one: unknown) => Json;

/** Whether what the giver keeps to is within what the taker asks for. */
const bounds: Readonly<Record<string, (given: unknown, taken: unknown) => boolean>> = {
  minimum: (given, taken) => typeof given === 'number' && given >= Number(taken),
  minLength: (given, taken) => typeof given === 'number' && given >= Number(taken),
  minItems: (given, taken) => typeof given === 'number' && given >= Number(taken),
  maximum: (given, taken) => typeof given === 'number' && given <= Number(taken),
  maxLength: (given, taken) => typeof given === 'number' && given <= Number(taken),
  maxItems: (given, taken) => typeof given === 'number' && given <= Number(taken),
  pattern: (given, taken) => given === taken,
  enum: (given, taken) => Array.isArray(given) && given.every((one) => list(taken).includes(one)),
};

const takes = (taken: readonly unknown[], type: unknown) =>
  taken.includes(type) || (type === 'integer' && taken.includes('number'));

const object = (one: unknown): Json => (one ?? {}) as Json;
const list = (one: unknown): readonly unknown[] => (one === undefined ? [] : [one].flat());
const securityOf = (document: Document, operation: Json) => operation.security ?? document.security;

function resolver(document: Document): Resolve {
  const resolve = (one: unknown): Json => {
    const { $ref } = object(one);
    if (typeof $ref !== 'string') return object(one);
    const way = $ref.replace(/^#\//, '').split('/');
    return resolve(way.reduce<unknown>((value, key) => object(value)[key], document));
  };
  return resolve;
}
