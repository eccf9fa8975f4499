import { readFile, writeFile } from 'node:fs/promises';
import { text as readAll } from 'node:stream/consumers';
import { expect } from 'chai';
import { httpServer } from '../support/http/http-server.ts';
import { folderOf, serviceDataOf } from '../support/process/lives.ts';
import { type Listening, listeningService, start } from '../support/process/service-process.ts';
import { projectFolder } from '../support/workspace.ts';

const address = 'https://second.example/?click={click_id}&name=é';
const mirror = { id: 7, campaign_id: 42, target_url: address, clicks: 2 ** 53 - 1, updated_externally: true };
const set = { status: 200, body: { mirror } };
const refused = (status: number, message: string, retryAfter?: string) => ({
  status,
  body: { message },
  ...(retryAfter !== undefined && { retryAfter }),
});
const unavailable = refused(503, 'Service Unavailable', '1');
const conflict = {
  status: 412,
  body: { message: 'The mirror was changed meanwhile.', mirror },
  etag: '"18"',
};

/** The timeout of an attempt: 40 s, in JavaScript in milliseconds. */
const timeout = /\b40(_000)?\b/g;
const noCondition = /^CAMPAIGN_MIRROR_IF_MATCH must be \* or a number in quotes, such as "17"\n$/;
const alreadySet = 'already set: the mirror has this address, perhaps by an earlier attempt\n';
/** A locale without UTF-8, in which Python decodes each byte as one character. */
const noUtf8 = { LC_ALL: 'C', PYTHONUTF8: '0', PYTHONCOERCECLOCALE: '0' };

/** The reaction to a request: an answer, silence, or a closed connection. */
type Scripted = 'silence' | 'end' | Answer;
interface Answer {
  readonly status: number;
  readonly retryAfter?: string;
  readonly location?: string;
  readonly etag?: string;
  /** A string is sent unchanged, anything else as JSON. */
  readonly body: unknown;
}

/** A server that follows a script, one request after the other; the last entry answers all later requests. */
async function scriptedServer(script: readonly Scripted[]) {
  const received: Record<'url' | 'requestId' | 'authorization' | 'body', string>[] = [];
  const server = await httpServer(async (request, response) => {
    const { authorization, 'x-request-id': requestId } = request.headers;
    const scripted = script[Math.min(received.length, script.length - 1)];
    const body = await readAll(request);
    received.push({
      url: `${request.url}`,
      authorization: `${authorization}`,
      requestId: `${requestId}`,
      body,
    });
    if (scripted === 'end') request.socket.destroy();
    if (!scripted || typeof scripted === 'string') return;
    const { status, retryAfter, location, etag } = scripted;
    if (etag !== undefined) response.setHeader('ETag', etag);
    if (location !== undefined) response.setHeader('Location', location);
    if (retryAfter !== undefined) response.setHeader('Retry-After', retryAfter);
    response.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8' });
    response.end(typeof scripted.body === 'string' ? scripted.body : JSON.stringify(scripted.body));
  });
  return { ...server, received };
}

/** Tests one client of docs/how-to/call-from-a-script.md. `command` returns the program that runs it. */
export function exampleContract(file: string, command: () => string): void {
  describe(`docs/how-to/clients/${file} sets a mirror, and never repeats a call that is not safe to repeat`, () => {
    const data = serviceDataOf('suite');
    const folder = folderOf('suite');
    const path = `${projectFolder}docs/how-to/clients/${file}`;
    let service: Listening;
    let impatient: string;
    before(async () => {
      service = await listeningService(data.settings());
      const source = await readFile(path, 'utf8');
      expect(source).to.match(timeout);
      impatient = folder.at(file);
      await writeFile(impatient, source.replace(timeout, '2$1'));
    });

    const run = (words: readonly string[], variables: Record<string, string>, program = path) =>
      start(command(), [program, ...words], variables).done();
    /** With the white space and the slash that pasted values often have. */
    function call(url: string, key: string, campaign: number, to: string, match?: string, program = path) {
      const variables = {
        CAMPAIGN_MIRROR_URL: ` ${url}/\r\n`,
        CAMPAIGN_MIRROR_KEY: ` ${key}\r\n`,
        ...(match !== undefined && { CAMPAIGN_MIRROR_IF_MATCH: ` ${match}\r\n` }),
      };
      return run([String(campaign), to], variables, program);
    }
    const real = (to: string, match?: string, campaign = Number(data.campaigns[0])) =>
      call(service.base, data.key, campaign, to, match);
    async function scripted(script: readonly Scripted[], program = path, match?: string) {
      const { url, received, close } = await scriptedServer(script);
      return { ...(await call(url, 'cm_key', 42, address, match, program).finally(close)), received };
    }

    it('it prints the mirror that the service set; it prints a refusal and ends with 1', async () => {
      const done = await real(address);
      expect(done).to.include({ code: 0, errors: '' });
      const { target_url, campaign_id } = JSON.parse(done.output);
      expect([target_url, campaign_id]).to.deep.equal([address, data.campaigns[0]]);
      expect(done.output).to.equal(`${JSON.stringify(JSON.parse(done.output))}\n`);
      const malformed = await real('somewhere');
      expect(malformed).to.include({ code: 1, output: '' });
      expect(malformed.errors).to.include('422').and.to.include('must start with http:// or https://');
      expect((await real(address, undefined, 424242)).errors).to.include('404');
    });

    it('it sends a condition; 412 ends with 2 and shows the mirror', async () => {
      const any = await real(address, '*');
      const { rows } = await data.database.admin.query(
        'select last_change_id as id from campaign_mirror.mirrors',
      );
      expect(any).to.include({ code: 0, errors: `ETag: "${rows[0].id}"\n` });
      const next = await real(address, `"${rows[0].id}"`);
      expect(next.code, next.errors).to.equal(0);
      const stale = await real('https://third.example/', `"${rows[0].id}"`);
      expect(stale).to.include({ code: 2, output: '' });
      expect(stale.errors).to.match(
        /^412 \{"message":"The mirror was changed .+","mirror":\{.*\}\} \(request .+\)$/m,
      );
      expect(stale.errors).to.include(next.errors);
      const compressed = await scripted([{ ...set, etag: 'W/"18--br"' }], path, '"17"');
      expect(compressed.errors).to.equal('ETag: "18"\n');
      for (const match of ['17', '"1"\r\nX: "1"']) {
        const wrong = await real(address, match);
        expect(wrong.code, match).to.equal(1);
        expect(wrong.errors, match).to.match(noCondition);
      }
    });

    it('it ends with 0 after a 412 that shows exactly the sent address', async () => {
      const odd = 'https://a.example/"[é😀]"/?%5C&click={click_id}*';
      const { output, errors } = await real(odd, '*');
      expect(await real(odd, '"0"')).to.deep.equal({ code: 0, output, errors: `${errors}${alreadySet}` });
      for (const to of [`${odd}*`, odd.slice(0, -1), odd.replace('é', 'e\u0301')])
        expect((await real(to, '"0"')).code, to).to.equal(2);
      const lost = await scripted(['end', conflict], path, '"17"');
      expect(lost).to.include({ code: 0, errors: `ETag: "18"\n${alreadySet}` });
      const byProxy = await scripted([{ status: 412, body: '<p>"mirror":{"target_url"}}' }], path, '"17"');
      expect(byProxy).to.include({ code: 2, output: '' });
    });

    // Each waits for seconds, so they run at the same time.
    it('it repeats the request after 503, 429, 408, a timeout or a broken connection, at most three times', async () => {
      const [repeated, slow, silent, never, later] = await Promise.all([
        scripted([unavailable, refused(429, 'Too Many Attempts.', '1'), 'end', set]),
        scripted([refused(408, 'Request Timeout'), set]),
        scripted(['silence', set], impatient),
        scripted([unavailable]),
        scripted([refused(429, 'Too Many Attempts.', '3600'), set]),
      ]);
      expect(repeated).to.deep.include({ code: 0, errors: '', output: `${JSON.stringify(mirror)}\n` });
      expect(repeated.received).to.have.length(4);
      const [first] = repeated.received;
      expect(first).to.include({
        url: '/public/v1/mirror/campaign/42/mirror',
        authorization: 'Bearer cm_key',
      });
      expect(first?.requestId).to.match(/^[!-~]{16,128}$/);
      expect(JSON.parse(first?.body ?? '')).to.deep.equal({ mirror_endpoint: address });
      for (const one of repeated.received) expect(one).to.deep.equal(first);
      expect([slow.code, silent.code, silent.received.length]).to.deep.equal([0, 0, 2]);
      expect([never.code, never.output, never.received.length]).to.deep.equal([1, '', 4]);
      expect(never.errors).to.include('503').and.to.include(never.received[0]?.requestId);
      expect([later.code, later.received.length], 'an hour is too long').to.deep.equal([1, 1]);
    });

    it('it names a missing or wrong input, sends no call, and shows no key', async () => {
      const { url, received, close } = await scriptedServer([set]);
      const { host } = new URL(url);
      const good = ['42', address];
      const wrong = (said: RegExp, words: string[], variables = {}) => ({ said, words, variables });
      const noNumber = /^the campaign must be a number: .*\n$/;
      const noUrl = /^CAMPAIGN_MIRROR_URL must be like https:\/\/mirror\.example\.com\n$/;
      const urls = [`${url}?x`, `http://me@${host}`, `${url}\\x`, '0', host, `ftp://${host}`, '-x', '@x'];
      for (const { said, words, variables } of [
        ...[[], ['42'], [...good, 'x']].map((words) => wrong(/^usage: .*CAMPAIGN ADDRESS\n$/, words)),
        ...['', '0', '042', '-5', '@5', '٤٢', '5/../7', '4\n2'].map((text) =>
          wrong(noNumber, [text, address]),
        ),
        ...urls.map((CAMPAIGN_MIRROR_URL) => wrong(noUrl, good, { CAMPAIGN_MIRROR_URL })),
        wrong(/^the address has control characters in it, .*\n$/, ['42', `\n${address}`]),
        wrong(/^CAMPAIGN_MIRROR_KEY is not set\n$/, good, { CAMPAIGN_MIRROR_KEY: ' \r\n' }),
        wrong(/^CAMPAIGN_MIRROR_KEY is no key: .*\n$/, good, { CAMPAIGN_MIRROR_KEY: 'MARKED\u001bMARKED' }),
        // '0' is false in PHP.
        wrong(noCondition, good, { CAMPAIGN_MIRROR_IF_MATCH: '0' }),
      ]) {
        const given = { CAMPAIGN_MIRROR_URL: url, CAMPAIGN_MIRROR_KEY: 'cm_MARKED', ...variables };
        const done = await run(words, given);
        expect([done.code, done.output], JSON.stringify([words, variables])).to.deep.equal([1, '']);
        expect(done.errors).to.match(said).and.not.include('MARKED');
      }
      await close();
      expect(received).to.deep.equal([]);
    });

    it('it repeats no other answer, follows no redirect, and accepts no foreign 200', async () => {
      const elsewhere = await scriptedServer([set]);
      const location = `${elsewhere.url}/`;
      for (const status of [301, 307, 400, 401, 403, 404, 422, 500, 502]) {
        const { code, errors, received } = await scripted([{ ...refused(status, 'No.'), location }, set]);
        expect([code, received.length], String(status)).to.deep.equal([1, 1]);
        expect(errors).to.include(String(status)).and.to.include('No.');
      }
      await elsewhere.close();
      expect(elsewhere.received).to.deep.equal([]);
      for (const text of ['{"login":"https://wifi.example/"}', '{"mirror":{"id":7']) {
        const other = await scripted([{ status: 200, body: `${text}\r\n` }, set]);
        expect([other.code, other.output, other.received.length]).to.deep.equal([1, '', 1]);
        expect(other.errors.replace(/\S+\)/, '')).to.equal(`200 ${text} (request \n`);
      }
    });

    it('it sends the address byte for byte', async () => {
      const { url, received, close } = await scriptedServer([set]);
      const odd = [
        '$(x) $HOME %41 -- \\n \\u0041 \\" {click_id}',
        '"\\\'`%&;|*?#@-',
        '\u{1f389}\u2028é日',
        ' ',
      ];
      const addresses = [...odd, ...odd.map((text) => `https://a.example/${text}`)];
      const variables = { ...noUtf8, CAMPAIGN_MIRROR_URL: url, CAMPAIGN_MIRROR_KEY: 'cm_key' };
      for (const to of addresses) expect(await run(['42', to], variables), to).to.include({ code: 0 });
      await close();
      expect(received.map(({ body }) => JSON.parse(body).mirror_endpoint)).to.deep.equal(addresses);
    });
  });
}
