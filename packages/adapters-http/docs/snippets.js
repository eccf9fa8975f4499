/** The request of the page as a program: an immutable map of `url`, `method`, `headers` and `body`. */
function parts(request) {
  const { url, method, headers = {}, body } = request.toJS();
  return { url, method, headers, body: body || undefined };
}

/** With `fetch`, in browsers and in Node. */
export function javascript(request) {
  const { url, method, headers, body } = parts(request);
  const options = [`method: ${JSON.stringify(method)}`, `headers: ${indented(headers)}`];
  if (body !== undefined) options.push(`body: ${JSON.stringify(body)}`);
  return [
    `const response = await fetch(${JSON.stringify(url)}, {`,
    ...options.map((option) => `  ${option},`),
    '});',
    'console.log(response.status, await response.json());',
  ].join('\n');
}

/** With what Python brings along. A string of JSON is one of Python too. */
export function python(request) {
  const { url, method, headers, body } = parts(request);
  const data = body === undefined ? '' : `\n    data=${JSON.stringify(body)}.encode(),`;
  return `from urllib.error import HTTPError
from urllib.request import Request, urlopen

request = Request(
    ${JSON.stringify(url)},
    method=${JSON.stringify(method)},
    headers=${indented(headers, '    ')},${data}
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
