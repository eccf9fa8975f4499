const withKey = 'Bearer $KEY';

/** The request of the page: an immutable map of `url`, `method`, `headers` and `body`. `$KEY` replaces the key. */
function parts(request) {
  const { url, method, headers = {}, body } = request.toJS();
  const shown = 'Authorization' in headers ? { ...headers, Authorization: withKey } : headers;
  return { url, method, headers: shown, body: body || undefined };
}

export function curl(request) {
  const { url, method, headers, body } = parts(request);
  const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
  const lines = [`curl -X ${quoted(method)}`, quoted(url)];
  for (const [name, value] of Object.entries(headers))
    lines.push(`-H ${value === withKey ? `"${name}: ${value}"` : quoted(`${name}: ${value}`)}`);
  if (body !== undefined) lines.push(`--data-raw ${quoted(body)}`);
  return lines.join(' \\\n  ');
}

/** With `fetch`, in Node. */
export function javascript(request) {
  const { url, ...options } = parts(request);
  const lines = JSON.stringify(options, null, 2);
  const withEnvironment = (text) => `${text}.replace("$KEY", process.env.KEY)`;
  return `const response = await fetch(${JSON.stringify(url)}, ${lines.replace(`"${withKey}"`, withEnvironment)});
console.log(response.status, await response.json());`;
}

/** With Python's own library. A string of JSON is a string of Python. */
export function python(request) {
  const { url, method, headers, body } = parts(request);
  const data = body === undefined ? '' : `\n    data=${JSON.stringify(body)}.encode(),`;
  const lines = JSON.stringify(headers, null, 4).replaceAll('\n', '\n    ');
  return `from os.path import expandvars
from urllib.error import HTTPError
from urllib.request import Request, urlopen

request = Request(
    ${JSON.stringify(url)},
    method=${JSON.stringify(method)},
    headers=${lines.replace(`"${withKey}"`, (text) => `expandvars(${text})`)},${data}
)
try:
    with urlopen(request, timeout=40) as response:
        print(response.status, response.read().decode())
except HTTPError as error:
    print(error.code, error.read().decode())`;
}
