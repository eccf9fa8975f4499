/** The request of the page as a program: an immutable map of `url`, `method`, `headers` and `body`. */
function parts(request) {
  const { url, method, headers = {}, body } = request.toJS();
  // What is copied is passed on: the key stays in the environment of whoever runs it.
  const shown = 'Authorization' in headers ? { ...headers, Authorization: withKey } : headers;
  return { url, method, headers: shown, body: body || undefined };
}

const withKey = 'Bearer $KEY';

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
  const { url, method, headers, body } = parts(request);
  const options = [`method: ${JSON.stringify(method)}`, `headers: ${indented(headers)}`];
  if (body !== undefined) options.push(`body: ${JSON.stringify(body)}`);
  return [
    `const response = await fetch(${JSON.stringify(url)}, {`,
    ...options.map((option) => `  ${option},`),
    '});',
    'console.log(response.status, await response.json());',
  ]
    .join('\n')
    .replace(`"${withKey}"`, (text) => `${text}.replace("$KEY", process.env.KEY)`);
}

/** With what Python brings along. A string of JSON is one of Python too. */
export function python(request) {
  const { url, method, headers, body } = parts(request);
  const data = body === undefined ? '' : `\n    data=${JSON.stringify(body)}.encode(),`;
  return `from os.path import expandvars
from urllib.error import HTTPError
from urllib.request import Request, urlopen

request = Request(
    ${JSON.stringify(url)},
    method=${JSON.stringify(method)},
    headers=${indented(headers, '    ').replace(`"${withKey}"`, (text) => `expandvars(${text})`)},${data}
)
try:
    with urlopen(request, timeout=40) as response:
        print(response.status, response.read().decode())
except HTTPError as error:
    print(error.code, error.read().decode())`;
}

function indented(value, by = '  ') {
  return JSON.stringify(value, null, by.length).replaceAll('\n', `\n${by}`);
}
