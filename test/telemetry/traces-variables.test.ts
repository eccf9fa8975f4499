import { expect } from 'chai';
import { readSettings } from '../../packages/app/src/settings/read-settings.ts';
import { traceVariables } from '../../packages/app/src/settings/trace-variables.ts';
import { samplerOf } from '../../packages/app/src/traces/samplers.ts';

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };
const wanted = (environment: Record<string, string>) => traceVariables(environment).wanted;
const notes = (environment: Record<string, string>) => traceVariables(environment).notes;

describe('traces: the variables of OpenTelemetry', () => {
  for (const [what, environment] of Object.entries({
    'nothing is set': {},
    'only what is said of them': { OTEL_SERVICE_NAME: 'x', OTEL_TRACES_SAMPLER: 'always_on' },
    'the endpoint is empty': { OTEL_EXPORTER_OTLP_ENDPOINT: '' },
    'the exporter is none': { ...endpoint, OTEL_TRACES_EXPORTER: 'none' },
    'the SDK is disabled': { ...endpoint, OTEL_SDK_DISABLED: 'True' },
  })) {
    it(`nothing is traced where ${what}`, () => {
      expect(traceVariables(environment)).to.deep.equal({ wanted: undefined, notes: [] });
    });
  }

  it('an endpoint is enough, of all signals or of traces, and so is the exporter', () => {
    const usual = {
      sampler: 'parentbased_always_on',
      ratio: 1,
      callersTraces: true,
      queue: {
        scheduledDelayMillis: 5_000,
        exportTimeoutMillis: 30_000,
        maxQueueSize: 2_048,
        maxExportBatchSize: 512,
      },
    };
    for (const environment of [
      endpoint,
      { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://user:MARKED@collector/custom' },
      { OTEL_TRACES_EXPORTER: 'otlp' },
      { ...endpoint, OTEL_SDK_DISABLED: 'false', OTEL_PROPAGATORS: 'tracecontext,baggage' },
      { ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'http/protobuf' },
    ]) {
      expect(traceVariables(environment)).to.deep.equal({ wanted: usual, notes: [] });
    }
  });

  it('what they say is done', () => {
    const said = wanted({
      ...endpoint,
      OTEL_TRACES_SAMPLER: 'traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.01',
      OTEL_PROPAGATORS: 'none',
      OTEL_BSP_SCHEDULE_DELAY: '100',
      OTEL_BSP_EXPORT_TIMEOUT: '200',
      OTEL_BSP_MAX_QUEUE_SIZE: '300',
      OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '400',
    });
    expect(said).to.deep.equal({
      sampler: 'traceidratio',
      ratio: 0.01,
      callersTraces: false,
      queue: {
        scheduledDelayMillis: 100,
        exportTimeoutMillis: 200,
        maxQueueSize: 300,
        maxExportBatchSize: 300,
      },
    });
  });

  for (const [name, value, note] of [
    ['OTEL_TRACES_EXPORTER', 'zipkin', 'is not otlp or none: nothing is traced$'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'MARKED:4317', 'is no http or https URL: nothing is traced$'],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc', 'is not http/protobuf, which is used: by default on port 4318'],
    ['OTEL_TRACES_SAMPLER', 'jaeger_remote', 'is none of always_on, always_off, traceidratio, '],
    ['OTEL_TRACES_SAMPLER_ARG', '1.1', 'is not from 0 to 1: 1 is used'],
    ['OTEL_TRACES_SAMPLER_ARG', 'MARKED', 'is not from 0 to 1: 1 is used'],
    ['OTEL_BSP_MAX_QUEUE_SIZE', '1.5', 'is not from 1 to 100000: 2048 is used'],
    ['OTEL_BSP_MAX_QUEUE_SIZE', '0', 'is not from 1 to 100000: 2048 is used'],
    ['OTEL_BSP_SCHEDULE_DELAY', '-1', 'is not from 1 to 3600000: 5000 is used'],
    ['OTEL_PROPAGATORS', 'b3', 'has no tracecontext: the traces of callers are not continued'],
  ] as const) {
    it(`${name}=${value} is reported, without its value, and left out`, () => {
      const read = traceVariables({ ...endpoint, [name]: value });
      expect(read.notes).to.have.length(1);
      expect(read.notes[0])
        .to.match(new RegExp(`^${name} ${note}`))
        .and.not.include('MARKED');
      const others = name === 'OTEL_PROPAGATORS' ? { callersTraces: false } : {};
      const left = note.includes('nothing is traced') ? undefined : { ...wanted(endpoint), ...others };
      expect(read.wanted).to.deep.equal(left);
    });
  }

  it('is told at the start, beside what is said of our own settings; none is taken for one of those', () => {
    const names = `EXPORTER_OTLP_ENDPOINT EXPORTER_OTLP_TRACES_ENDPOINT EXPORTER_OTLP_HEADERS EXPORTER_OTLP_TRACES_HEADERS
      EXPORTER_OTLP_TIMEOUT EXPORTER_OTLP_COMPRESSION EXPORTER_OTLP_CERTIFICATE EXPORTER_OTLP_PROTOCOL SDK_DISABLED
      SERVICE_NAME RESOURCE_ATTRIBUTES PROPAGATORS LOG_LEVEL TRACES_SAMPLER BSP_SCHEDULE_DELAY`;
    const environment = Object.fromEntries(names.split(/\s+/).map((name) => [`OTEL_${name}`, '']));
    const told = (more: Record<string, string>) => {
      const read = readSettings({ ...environment, ...more });
      return 'notes' in read ? read.notes : read.wrong;
    };
    expect(told({})).to.deep.equal([]);
    expect(told({ OTEL_TRACES_EXPORTER: 'zipkin' })).to.deep.equal(notes({ OTEL_TRACES_EXPORTER: 'zipkin' }));
  });

  it('each sampler is the one that its name says', () => {
    const root = (name: string) => `ParentBased{root=${name}, `;
    const names = {
      always_on: 'AlwaysOnSampler',
      always_off: 'AlwaysOffSampler',
      traceidratio: 'TraceIdRatioBased{0.5}',
      parentbased_always_on: root('AlwaysOnSampler'),
      parentbased_always_off: root('AlwaysOffSampler'),
      parentbased_traceidratio: root('TraceIdRatioBased{0.5}'),
    } as const;
    for (const [name, text] of Object.entries(names)) {
      const sampler = samplerOf(name as keyof typeof names, 0.5);
      expect(sampler.toString().slice(0, text.length)).to.equal(text);
    }
  });
});
