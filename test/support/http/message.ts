/** An answer as it came over the wire, every byte of it accounted for. */
export interface RawResponse {
  readonly status: number;
  readonly reason: string;
  /** Lower-case names; a header that came twice would be an array. */
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: string;
}

const statusLine = /^HTTP\/1\.1 ([1-5][0-9]{2}) ([A-Za-z-]+(?: [A-Za-z-]+)*)$/;
const field = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+): ([\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)$/;

/**
 * Reads the first response in the bytes. Undefined while it is not complete.
 * @throws if it is not a well-formed message (RFC 9112)
 */
export function readResponse(
  bytes: Buffer,
  toHead: boolean,
): { response: RawResponse; length: number } | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const [first = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n');
  const [, code = '', reason = ''] = statusLine.exec(first) ?? malformed(first);
  const headers: Record<string, string | string[]> = {};
  for (const line of lines) {
    const [, name = '', value = ''] = field.exec(line) ?? malformed(line);
    const before = headers[name.toLowerCase()];
    headers[name.toLowerCase()] = before === undefined ? value : [before, value].flat();
  }
  const status = Number(code);
  const length = end + 4 + bodyLength(status, headers, toHead);
  if (bytes.length < length) return undefined;
  const body = new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(end + 4, length));
  return { response: { status, reason, headers, body }, length };
}

function bodyLength(status: number, headers: RawResponse['headers'], toHead: boolean): number {
  const { 'transfer-encoding': coding, 'content-length': announced } = headers;
  if (coding !== undefined) malformed('a transfer coding in an answer');
  if (status < 200 || status === 204 || status === 304)
    return announced === undefined ? 0 : malformed(`Content-Length in a ${status}`);
  if (typeof announced !== 'string' || !/^[0-9]+$/.test(announced)) malformed(`Content-Length ${announced}`);
  return toHead ? 0 : Number(announced);
}

function malformed(what: string): never {
  throw new Error(`the answer is not well-formed: ${what}`);
}
