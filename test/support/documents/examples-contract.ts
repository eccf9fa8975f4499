import { expect } from 'chai';
import { serviceDataOf } from '../process/lives.ts';
import { type Received, type Scripted, scriptedServer } from '../process/scripted-server.ts';
import { type Listening, listeningService } from '../process/service-process.ts';
import { ExampleFiles, type Run } from './examples.ts';

const address = 'https://second.example/?click={click_id}&name=é';
const set = { status: 200, body: { mirror: { id: 7, campaign_id: 42, target_url: address } } };
const refused = (status: number, message: string, retryAfter?: number) => ({
  status,
  body: { message },
  ...(retryAfter !== undefined && { retryAfter }),
});
const away = refused(503, 'Service Unavailable', 1);

export interface Example {
  readonly file: string;
  /** Finds the program that runs it. */
  readonly command: () => string;
  /** It repeats a call after 500 too. */
  readonly repeatsFaults?: boolean;
}

/** What docs/how-to/call-from-a-script.md says that its programs do. */
export function exampleContract({ file, command, repeatsFaults = false }: Example): void {
  describe(`docs/how-to/call-from-a-script.md: ${file}`, () => {
    const data = serviceDataOf('suite');
    let service: Listening;
    const files = new ExampleFiles();
    after(() => files.remove());
    before(async () => {
      service = await listeningService(data.settings());
    });

    const real = (campaign: number, to: string) =>
      files.run(command(), file, { url: service.base, key: data.key, campaign, address: to });
    const scripted = async (
      script: readonly Scripted[],
      { impatient = false } = {},
    ): Promise<Run & { received: Received[] }> => {
      const server = await scriptedServer(script);
      try {
        const call = { url: server.url, key: 'cm_key', campaign: 42, address, impatient };
        return { ...(await files.run(command(), file, call)), received: server.received };
      } finally {
        await server.close();
      }
    };

    // They wait for seconds: all of them at once.
    const waits = () => ({
      repeated: scripted([away, refused(429, 'Too Many Attempts.', 1), 'end', set]),
      slow: scripted([refused(408, 'Request Timeout'), set]),
      silent: scripted(['silence', set], { impatient: true }),
      never: scripted([away]),
    });
    let waiting: ReturnType<typeof waits>;
    before(async () => {
      waiting = waits();
      await Promise.all(Object.values(waiting));
    });

    it('sets a mirror of the running service', async () => {
      const { code, output, errors } = await real(data.campaigns[0] as number, address);
      expect([code, errors]).to.deep.equal([0, '']);
      expect(output).to.include('second.example');
      const { rows } = await data.database.admin.query('select target_url from campaign_mirror.mirrors');
      expect(rows).to.deep.equal([{ target_url: address }]);
    });

    it('says why the running service refuses, and ends with 1', async () => {
      const malformed = await real(data.campaigns[0] as number, 'somewhere');
      expect([malformed.code, malformed.output]).to.deep.equal([1, '']);
      expect(malformed.errors).to.include('422').and.to.include('must be a valid URL');
      const missing = await real(424242, address);
      expect(missing.errors).to.include('404').and.to.include('No query results');
    });

    it('repeats the same request after 503, 429, 408 and a broken connection', async () => {
      const { code, errors, received } = await waiting.repeated;
      expect(code, errors).to.equal(0);
      expect(received).to.have.length(4);
      const [first] = received;
      expect(first?.requestId).to.match(/^[!-~]{16,128}$/);
      expect(first?.authorization).to.equal('Bearer cm_key');
      expect(JSON.parse(first?.body ?? '')).to.deep.equal({ mirror_endpoint: address });
      for (const one of received) expect(one).to.deep.equal(first);
      expect((await waiting.slow).code).to.equal(0);
    });

    it('does not wait for an answer for ever', async () => {
      const { code, received } = await waiting.silent;
      expect([code, received.length]).to.deep.equal([0, 2]);
    });

    it('gives up after four attempts, and at once when it would have to wait for long', async () => {
      const never = await waiting.never;
      expect([never.code, never.output, never.received.length]).to.deep.equal([1, '', 4]);
      expect(never.errors).to.include('503').and.to.include(never.received[0]?.requestId);
      const later = await scripted([refused(429, 'Too Many Attempts.', 3600), set]);
      expect([later.code, later.received.length]).to.deep.equal([1, 1]);
    });

    it('repeats nothing else', async () => {
      const once = [400, 401, 403, 404, 413, 415, 422, 431, ...(repeatsFaults ? [] : [500])];
      const ends = await Promise.all(once.map((status) => scripted([refused(status, 'No.'), set])));
      for (const [at, { code, errors, received }] of ends.entries()) {
        expect([code, received.length], String(once[at])).to.deep.equal([1, 1]);
        expect(errors).to.include(String(once[at])).and.to.include('No.');
      }
    });
  });
}
