import { type ChildProcess, spawn } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from '@trimtab/kube/http/free-port.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { stringify } from 'yaml';

interface Sample {
  metric: Record<string, string>;
  value: [number, string];
}

interface Alert {
  state: string;
  labels: Record<string, string>;
}

/** A Prometheus server that scrapes twice a second and evaluates the rules of Trimtab. */
export class Prometheus implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #folder: string;
  readonly #url: string;

  private constructor(folder: string, port: number) {
    this.#folder = folder;
    this.#url = `http://127.0.0.1:${port}`;
    const flags = {
      'config.file': path.join(folder, 'prometheus.yaml'),
      'storage.tsdb.path': path.join(folder, 'data'),
      'web.listen-address': `127.0.0.1:${port}`,
    };
    const args = Object.entries(flags).map(([name, value]) => `--${name}=${value}`);
    this.#child = spawn('prometheus', args, { stdio: 'ignore' });
  }

  /** `targets` are the health addresses of programs, by job. */
  static async start(rules: string, targets: Record<string, string>): Promise<Prometheus> {
    const folder = mkdtempSync(path.join(tmpdir(), 'trimtab-prometheus-'));
    copyFileSync(rules, path.join(folder, 'rules.yaml'));
    const config = {
      global: { scrape_interval: '500ms', scrape_timeout: '500ms', evaluation_interval: '500ms' },
      rule_files: ['rules.yaml'],
      scrape_configs: Object.entries(targets).map(([job_name, url]) => ({
        job_name,
        static_configs: [{ targets: [new URL(url).host], labels: { namespace: 'trimtab-system' } }],
      })),
    };
    writeFileSync(path.join(folder, 'prometheus.yaml'), stringify(config));
    const prometheus = new Prometheus(folder, await freePort());
    await waitFor('Prometheus scrapes all targets', async () => {
      const up = await prometheus.query('sum(up)').catch(() => []);
      const seen = up[0]?.value[1] ?? 'nothing';
      return Number(seen) === Object.keys(targets).length ? { met: true } : { seen };
    });
    return prometheus;
  }

  /** Evaluates an expression now. Throws with the message of Prometheus when it is not valid. */
  async query(expr: string): Promise<Sample[]> {
    const response = await fetch(`${this.#url}/api/v1/query?query=${encodeURIComponent(expr)}`);
    const answer = (await response.json()) as { error?: string; data?: { result: Sample[] } };
    if (answer.data === undefined) throw new Error(`${expr}: ${answer.error}`);
    return answer.data.result;
  }

  /** The names of the alerts that fire. */
  async firing(): Promise<string[]> {
    const response = await fetch(`${this.#url}/api/v1/alerts`);
    const { data } = (await response.json()) as { data: { alerts: Alert[] } };
    return data.alerts.flatMap(({ state, labels }) =>
      state === 'firing' ? [labels['alertname'] ?? ''] : [],
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = new Promise((resolve) => this.#child.once('close', resolve));
    this.#child.kill('SIGKILL');
    await closed;
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
