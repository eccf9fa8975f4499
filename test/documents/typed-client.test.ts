import { expect } from 'chai';
import openapiTS, { astToString } from 'openapi-typescript';
import { rejection } from '../support/faults.ts';
import { openapiText } from '../support/http/openapi-file.ts';
import { withHttpService } from '../support/http/service.ts';
import { typescript } from '../support/process/typescript.ts';
import { read } from '../support/workspace.ts';

describe('a client whose types are made from openapi.json', () => {
  const service = withHttpService();
  let client: string;
  let types: string;
  before(async () => {
    client = await read('test/support/documents/typed-client.ts');
    types = astToString(await openapiTS(openapiText));
  });

  it('compiles, handles every status, and gets what the types say', async () => {
    const { port, keys, campaigns } = service();
    const call = {
      key: keys.valid,
      campaign: campaigns.own,
      address: 'https://second.example/?click={click_id}',
    };
    const calls = [
      call,
      { ...call, key: keys.revoked },
      { ...call, campaign: campaigns.foreign },
      { ...call, campaign: 424242 },
      { ...call, address: 'somewhere' },
    ];
    const files = { 'typed-client.ts': client, 'openapi-types.ts': types };
    const printed = await typescript(files, `http://127.0.0.1:${port}`, JSON.stringify(calls));
    expect(printed.split('\n')).to.deep.equal([
      '200 https://second.example/?click={click_id}',
      '401 Unauthenticated.',
      '403 This action is unauthorized.',
      '404 No query results for model [Campaign] 424242',
      '422 The mirror endpoint field must be a valid URL.',
      '',
    ]);
  });

  it('does not compile without an answer, nor for a field that is none', async () => {
    for (const [from, to] of [
      ['  413: message,\n', ''],
      ['mirror.target_url', 'mirror.endpoint'],
    ] as const) {
      const files = { 'typed-client.ts': client.replace(from, to), 'openapi-types.ts': types };
      expect(String(await rejection(typescript(files)))).to.match(/typed-client\.ts\(\d+,\d+\): error TS/);
    }
  });
});
