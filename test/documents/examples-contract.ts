import { once } from 'node:events';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text as readAll } from 'node:stream/consumers';
import { expect } from 'chai';
import { httpServer } from '../support/http/http-server.ts';
import { folderOf, serviceDataOf } from '../support/process/lives.ts';
import { type Listening, listeningService, start } from '../support/process/service-process.ts';
import { projectFolder, read } from '../support/workspace.ts';

const address = 'https://second.example/?click={click_id}&name=é';
const mirror = { id: 7, campaign_id: 42, target_url: address, clicks: 2 ** 53 - 1, updated_externally: true };
const set = { status: 200, body: { mirror } };
const refused = (status: number, message: string, retryAfter?: string | string[]) => ({
  status,
  body: { message },
  ...(retryAfter !== undefined && { retryAfter }),
});
const away = refused(503, 'Service Unavailable', '1');

/** How long an attempt may take: 40 s, and as JavaScript has it in milliseconds. */
const patience = /\b40(_000)?\b/g;

const noCondition = /^CAMPAIGN_MIRROR_IF_MATCH must be \* or a number in quotes, such as "17"\n$/;

const alreadySet = 'already set: the mirror has this address, perhaps by an earlier attempt\n';

/** Python takes each byte for a character of this locale, which is not one of UTF-8. */
const noUtf8 = { LC_ALL: 'C', PYTHONUTF8: '0', PYTHONCOERCECLOCALE: '0' };

const certificate = (name: string) => read(`test/settings/certificates/${name}.pem`);

/** What a request gets: an answer, silence, headers without end, or the end of its connection. */
type Scripted = 'silence' | 'drips' | 'end' | Spoken;
interface Spoken {
  readonly status: number;
  readonly retryAfter?: string | string[];
  readonly location?: string;
  readonly etag?: string;
  /** A text is sent as it is. */
  readonly body: unknown;
}

/** A server that answers one request after the other as it is told; the last answer is for all that follow. */
async function scriptedServer(script: readonly Scripted[]) {
  const received: { url: unknown; requestId: unknown; authorization: string | undefined; body: string }[] =
    [];
  const server = await httpServer(async (request, response) => {
    const { authorization, 'x-request-id': requestId } = request.headers;
    const scripted = script[Math.min(received.length, script.length - 1)];
    received.push({ url: request.url, authorization, requestId, body: await readAll(request) });
    const { socket } = request;
    if (scripted === 'end') socket.destroy();
    if (scripted === 'drips') {
      socket.write('HTTP/1.1 200 OK\r\n');
      const dripping = setInterval(() => socket.write('X: y\r\n'), 200);
      socket.once('close', () => clearInterval(dripping));
    }
    if (!scripted || typeof scripted === 'string') return;
    const { status, retryAfter, location, etag, body } = scripted;
    if (etag !== undefined) response.setHeader('ETag', etag);
    if (location !== undefined) response.setHeader('Location', location);
    if (retryAfter !== undefined) response.setHeader('Retry-After', retryAfter);
    response.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8' });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  return { ...server, received };
}

/** What docs/how-to/call-from-a-script.md says that its clients do. `command` finds the program that runs the file. */
export function exampleContract(file: string, command: () => string): void {
  describe(`docs/how-to/clients/${file}`, () => {
    const data = serviceDataOf('suite');
    const folder = folderOf('suite');
    const path = `${projectFolder}docs/how-to/clients/${file}`;
    let service: Listening;
    let impatient: string;
    before(async () => {
      service = await listeningService(data.settings());
      const source = await readFile(path, 'utf8');
      expect(source, 'how long it waits').to.match(patience);
      impatient = folder.at(file);
      await writeFile(impatient, source.replace(patience, '2$1'));
    });

    const ends = (words: readonly string[], variables: Record<string, string>, program = path) =>
      start(command(), [program, ...words], variables).done();
    /** As many paste them: with white space around the variables, and a slash at the end of the URL. */
    function run(url: string, key: string, campaign: number, to: string, match?: string, program = path) {
      const variables = {
        CAMPAIGN_MIRROR_URL: ` ${url}/\r\n`,
        CAMPAIGN_MIRROR_KEY: ` ${key}\r\n`,
        ...(match !== undefined && { CAMPAIGN_MIRROR_IF_MATCH: ` ${match}\r\n` }),
      };
      return ends([String(campaign), to], variables, program);
    }
    const real = (campaign: number, to: string, match?: string) =>
      run(service.base, data.key, campaign, to, match);
    async function scripted(script: readonly Scripted[], program = path, match?: string) {
      const { url, received, close } = await scriptedServer(script);
      return { ...(await run(url, 'cm_key', 42, address, match, program).finally(close)), received };
    }

    it('sets a mirror of the running service, or says why it is refused and ends with 1', async () => {
      const campaign = Number(data.campaigns[0]);
      const done = await real(campaign, address);
      expect(done).to.include({ code: 0, errors: '' });
      const { rows } = await data.database.admin.query(
        `select id::int, campaign_id::int, target_url, clicks::int from campaign_mirror.mirrors`,
      );
      expect(rows).to.deep.equal([{ id: rows[0].id, campaign_id: campaign, target_url: address, clicks: 0 }]);
      expect(done.output).to.equal(`${JSON.stringify(JSON.parse(done.output))}\n`);
      expect(JSON.parse(done.output)).to.include({ ...rows[0], updated_externally: true });
      const malformed = await real(campaign, 'somewhere');
      expect(malformed).to.include({ code: 1, output: '' });
      expect(malformed.errors).to.include('422').and.to.include('must start with http:// or https://');
      const missing = await real(424242, address);
      expect(missing.errors).to.include('404').and.to.include('No query results');
      expect((await real(campaign, `https://a.example/${'😀'.repeat(2_030)}`)).errors).to.equal('');
    });

    it('with CAMPAIGN_MIRROR_IF_MATCH sets it only if its last change is that one; 412 ends with 2 and shows the mirror', async () => {
      const campaign = Number(data.campaigns[0]);
      const matching = (match: string) => real(campaign, address, match);
      const any = await matching('*');
      const { rows } = await data.database.admin.query(
        'select last_change_id as id from campaign_mirror.mirrors',
      );
      expect(any).to.include({ code: 0, errors: `ETag: "${rows[0].id}"\n` });
      const next = await matching(`"${rows[0].id}"`);
      expect(next.code, next.errors).to.equal(0);
      const stale = await real(campaign, 'https://third.example/', `"${rows[0].id}"`);
      expect(stale).to.include({ code: 2, output: '' });
      expect(stale.errors).to.match(
        /^412 \{"message":"The mirror was changed meanwhile\.","mirror":\{.*\}\} \(request .+\)$/m,
      );
      expect(stale.errors).to.include(next.errors);
      for (const etag of ['W/"18"', '"18-gzip"', 'W/"18--br"']) {
        const compressed = await scripted([{ ...set, etag }], path, '"17"');
        expect(compressed.errors, etag).to.equal('ETag: "18"\n');
      }
      for (const match of ['17', '"', '""', '"17', '"1"7"', '"1"\r\nX: "1"', 'W/"1"', '"x"']) {
        const refused = await matching(match);
        expect(refused.code, match).to.equal(1);
        expect(refused.errors, match).to.match(noCondition);
      }
    });

    it('ends with 0 and a word after a 412 whose mirror has exactly the address that it sent', async () => {
      const campaign = Number(data.campaigns[0]);
      const odd = 'https://a.example/"[é😀]"/?%5C&click={click_id}*';
      const { output, errors } = await real(campaign, odd, '*');
      const repeated = await real(campaign, odd, '"0"');
      expect(repeated).to.deep.equal({ code: 0, output, errors: `${errors}${alreadySet}` });
      const others = [`${odd}*`, odd.slice(0, -1), odd.replace('é', 'e\u0301'), odd.replace(/\[.*\]/, '*')];
      for (const to of others) expect((await real(campaign, to, '"0"')).code, to).to.equal(2);
      const conflict = {
        status: 412,
        body: { message: 'The mirror was changed meanwhile.', mirror },
        etag: '"18"',
      };
      const lost = await scripted(['end', conflict], path, '"17"');
      expect(lost).to.include({ code: 0, errors: `ETag: "18"\n${alreadySet}` });
      expect(lost.output).to.equal(`${JSON.stringify(mirror)}\n`);
      const ofAProxy = await scripted([{ status: 412, body: '<p>"mirror":{"target_url"}}' }], path, '"17"');
      expect(ofAProxy).to.include({ code: 2, output: '' });
    });

    it('ends with 0 if the mirror is set, though nobody takes its output, and leaves nothing behind', async () => {
      const { url, received, close } = await scriptedServer([set]);
      const TMPDIR = folder.at('temporary');
      await mkdir(TMPDIR);
      const variables = { CAMPAIGN_MIRROR_URL: url, CAMPAIGN_MIRROR_KEY: 'cm_key', TMPDIR };
      const words = [path, '42', address];
      const unread = start(command(), words, variables);
      unread.child.stdout?.destroy();
      const into = (output: string) =>
        start('sh', ['-c', `exec "$@" ${output}`, 'sh', command(), ...words], variables);
      for (const running of [unread, into('>&-'), into('> /dev/full')])
        expect(await running.done()).to.include({ code: 0 });
      await close();
      expect(received).to.have.length(3);
      expect(await readdir(TMPDIR)).to.deep.equal([]);
    });

    // They wait for seconds: all of them at once.
    it('repeats the same request after 503, 429, 408, silence and a broken connection, up to four times', async () => {
      const [repeated, slow, silent, never, ...later] = await Promise.all([
        scripted([away, refused(429, 'Too Many Attempts.', ['1', '1']), 'end', set]),
        scripted([refused(408, 'Request Timeout'), set]),
        scripted(['silence', 'drips', set], impatient),
        scripted([away]),
        scripted([refused(429, 'Too Many Attempts.', '3600'), set]),
        scripted([refused(429, 'Too Many Attempts.', '9'.repeat(400)), set]),
      ]);
      expect(repeated).to.deep.include({ code: 0, errors: '', output: `${JSON.stringify(mirror)}\n` });
      expect(repeated.received).to.have.length(4);
      const [first] = repeated.received;
      expect(first?.url).to.equal('/public/v1/mirror/campaign/42/mirror');
      expect(first?.requestId).to.match(/^[!-~]{16,128}$/);
      expect(first?.authorization).to.equal('Bearer cm_key');
      expect(JSON.parse(first?.body ?? '')).to.deep.equal({ mirror_endpoint: address });
      for (const one of repeated.received) expect(one).to.deep.equal(first);
      expect(slow.code).to.equal(0);
      expect([silent.code, silent.received.length]).to.deep.equal([0, 3]);
      expect([never.code, never.output, never.received.length]).to.deep.equal([1, '', 4]);
      expect(never.errors).to.include('503').and.to.include(never.received[0]?.requestId);
      for (const { code, received } of later)
        expect([code, received.length], 'an hour or more').to.deep.equal([1, 1]);
    });

    it('says what is missing or wrong, and what it could not send as it is, without sending a call, and shows no key', async () => {
      const { url, received, close } = await scriptedServer([set]);
      const { host } = new URL(url);
      const good = ['42', address];
      const inPath = '5/../7|5?|5#|%35|5\n|4\n2|42\r'.split('|');
      const campaigns = ['', ...'0|042|+5|-5|5.0| 5|@5|٤٢|４２'.split('|'), ...inPath];
      const steering = [`${address}\r`, `${address}\n`, `\n${address}`, 'https://a.example/\u001b', '\u007f'];
      const odd = [`${url}?x`, `${url}#x`, `http://me@${host}`, 'http://a b', `${url}\\x`, `${url}/"`];
      const bases = ['0', host, `//${host}`, `ftp://${host}`, 'http:', 'http:///x', '-x', '@x', ...odd];
      const all = { CAMPAIGN_MIRROR_URL: url, CAMPAIGN_MIRROR_KEY: 'cm_MARKED' };
      const says = (said: RegExp, ...given: { words?: string[]; [variable: string]: string | string[] }[]) =>
        Promise.all(
          given.map(async ({ words = good, ...variables }) => {
            const done = await ends(words, { ...all, ...(variables as typeof all) });
            expect([done.code, done.output], JSON.stringify([words, variables])).to.deep.equal([1, '']);
            expect(done.errors).to.match(said).and.not.include('MARKED');
          }),
        );
      await says(
        /^usage: .*CAMPAIGN ADDRESS\n$/,
        { words: [] },
        { words: ['42'] },
        { words: [...good, 'x'] },
      );
      await says(/^CAMPAIGN_MIRROR_KEY is not set\n$/, { CAMPAIGN_MIRROR_KEY: ' \r\n' });
      await says(
        /^CAMPAIGN_MIRROR_KEY is no key: it has white space or other characters in it\n$/,
        ...['\n', ' ', '\u001b'].map((inside) => ({ CAMPAIGN_MIRROR_KEY: `cm_MARKED${inside}MARKED` })),
      );
      const numbers = campaigns.map((campaign) => ({ words: [campaign, address] }));
      await says(/^the campaign must be a number: .*\n$/, ...numbers);
      await says(
        /^the address has control characters in it, .*\n$/,
        ...steering.map((to) => ({ words: ['42', to] })),
      );
      await says(
        /^CAMPAIGN_MIRROR_URL must be like https:\/\/mirror\.example\.com\n$/,
        ...bases.map((CAMPAIGN_MIRROR_URL) => ({ CAMPAIGN_MIRROR_URL })),
      );
      // In PHP it is false.
      await says(noCondition, { CAMPAIGN_MIRROR_IF_MATCH: '0' });
      await close();
      expect(received).to.deep.equal([]);
    });

    it('repeats nothing else, follows no redirect, by which another server would get the key, and takes no other 200 for that of the service', async () => {
      const elsewhere = await scriptedServer([set]);
      const location = `${elsewhere.url}/`;
      const once = [301, 302, 303, 307, 308, 400, 401, 403, 404, 413, 415, 422, 431, 500, 502, 504];
      const ends = once.map((status) => scripted([{ ...refused(status, 'No.'), location }, set]));
      for (const [at, { code, errors, received }] of (await Promise.all(ends)).entries()) {
        expect([code, received.length], String(once[at])).to.deep.equal([1, 1]);
        expect(errors).to.include(String(once[at])).and.to.include('No.');
      }
      await elsewhere.close();
      expect(elsewhere.received).to.deep.equal([]);
      for (const text of ['{"login":"https://wifi.example/"}', '', '{"mirror":{"id":7']) {
        const other = await scripted([{ status: 200, body: `${text}\r\n` }, set]);
        expect([other.code, other.output, other.received.length]).to.deep.equal([1, '', 1]);
        expect(other.errors.replace(/\S+\)/, '')).to.equal(`200 ${text} (request \n`);
      }
      const nowhere = await run('http://127.0.0.1:99999', 'cm_key', 42, address);
      expect(nowhere.errors).to.match(/^0 .+ \(request \S+\)\n$/);
    });

    it('does not repeat after a certificate that it does not accept', async () => {
      const [key, cert] = await Promise.all(['server-key', 'server'].map(certificate));
      const server = createSecureServer({ key, cert }).listen(0, '127.0.0.1');
      let connections = 0;
      server.on('connection', () => connections++).on('tlsClientError', () => {});
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      const { code, output, errors } = await run(`https://127.0.0.1:${port}`, 'cm_key', 42, address);
      await once(server.close(), 'close');
      expect([code, output, connections], errors).to.deep.equal([1, '', 1]);
      expect(errors).to.match(/^0 .*certificate.* \(request \S+\)\n$/);
    });

    it('sends what it was given, byte for byte', async () => {
      const { url, received, close } = await scriptedServer([set]);
      const odd = [
        '$(x) $HOME %41 -- \\n \\u0041 \\" {click_id} [sub]',
        '"\\\'`%&;|*?#@-',
        '\u{1f389}\u2028é日',
        ' ',
      ];
      const addresses = [...odd, ...odd.map((text) => `https://a.example/${text}`)];
      const variables = { ...noUtf8, CAMPAIGN_MIRROR_URL: url, CAMPAIGN_MIRROR_KEY: 'cm_key' };
      for (const to of addresses) expect(await ends(['42', to], variables), to).to.include({ code: 0 });
      await close();
      expect(received.map(({ body }) => JSON.parse(body).mirror_endpoint)).to.deep.equal(addresses);
    });
  });
}
