import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../free-port.ts';
import { start } from '../process/service-process.ts';
import { program } from '../programs.ts';
import { prometheusFolder } from './prometheus-rules.ts';

/** A sample of an instant query: its labels and its value. */
interface Sample {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [time: number, value: string];
}

interface RuleGroup {
  readonly rules: readonly { readonly name: string; readonly health: string; readonly lastError?: string }[];
}

/** A real Prometheus with the files of ops/prometheus, which looks twice a second. */
export class Prometheus {
  readonly #base: string;
  readonly stop: () => Promise<void>;

  private constructor(base: string, stop: () => Promise<void>) {
    this.#base = base;
    this.stop = stop;
  }

  /** `ops`: where each process tells its metrics. */
  static async of(processes: readonly { readonly ops: string }[]): Promise<Prometheus> {
    const folder = await mkdtemp(join(tmpdir(), 'campaign-mirror-prometheus-'));
    await cp(prometheusFolder, folder, { recursive: true });
    const file = join(folder, 'prometheus.yml');
    const text = await readFile(file, 'utf8');
    const targets = processes.map(({ ops }) => `- ${new URL(ops).host}`).join('\n          ');
    await writeFile(
      file,
      text.replaceAll('_interval: 15s', '_interval: 500ms').replace('- 127.0.0.1:3001', targets),
    );
    const port = await freePort();
    const process = start(
      program('prometheus'),
      [
        `--config.file=${file}`,
        `--storage.tsdb.path=${join(folder, 'data')}`,
        `--web.listen-address=127.0.0.1:${port}`,
      ],
      {},
      folder,
    );
    await process.says(() => process.errors.includes('Server is ready to receive web requests') || undefined);
    return new Prometheus(`http://127.0.0.1:${port}`, async () => {
      await process.stop();
      await rm(folder, { recursive: true, force: true });
    });
  }

  /** @throws Error for a query that it does not take */
  async query(query: string): Promise<readonly Sample[]> {
    const { result } = await this.#asked<{ result: Sample[] }>('query', { query });
    return result;
  }

  async labelValues(series: string, label: string): Promise<readonly string[]> {
    return this.#asked(`label/${label}/values`, { 'match[]': series });
  }

  async rules() {
    const { groups } = await this.#asked<{ groups: RuleGroup[] }>('rules', {});
    return groups.flatMap(({ rules }) => rules);
  }

  async #asked<T>(what: string, parameters: Record<string, string>): Promise<T> {
    const response = await fetch(`${this.#base}/api/v1/${what}?${new URLSearchParams(parameters)}`);
    const { status, data, error } = (await response.json()) as { status: string; data: T; error?: string };
    if (status !== 'success') throw new Error(`${error}: ${Object.values(parameters)}`);
    return data;
  }
}
