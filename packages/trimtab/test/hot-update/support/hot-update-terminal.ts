import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Engine } from '@trimtab/test-bed/engines/engine.ts';
import { GuideTerminal } from '../../support/guide-terminal.ts';
import { runGuide } from '../../support/run-guide.ts';
import { startController } from '../../support/start-controller.ts';

type StudyPage = 'config-map' | 'etcd' | 'env' | 'volume' | 'trimtab';

const study = path.resolve(import.meta.dirname, '../study');

/** What a person does in the editor of `kubectl edit`. */
const editor = "sed -i -e 's/log_level: INFO/log_level: DEBUG/'";

const remains =
  'kubectl delete --ignore-not-found deployment/my-nginx deployment/my-subpath configmap/env-config configmap/special-config configmap/nginx-config';

/** A shell in which the pages of the hot-update study and the guide are run. */
export class HotUpdateTerminal implements AsyncDisposable {
  readonly #engine: Engine;
  readonly #folder: string;
  readonly #terminal: GuideTerminal;

  private constructor(engine: Engine, folder: string, kubeconfig: string) {
    this.#engine = engine;
    this.#folder = folder;
    this.#terminal = new GuideTerminal({ folder, kubectl: engine.kubectl, kubeconfig, editor });
    // `trimtab local` reads the state of `npm start` in the current folder by default.
    if (engine.name === 'local') symlinkSync(path.dirname(engine.kubeconfig), path.join(folder, '.trimtab'));
  }

  static async open(engine: Engine): Promise<HotUpdateTerminal> {
    const folder = mkdtempSync(path.join(tmpdir(), 'trimtab-hot-update-'));
    return new HotUpdateTerminal(engine, folder, await engine.kubeconfigOf(undefined));
  }

  /** The study uses the namespace `default`. */
  async study(...pages: StudyPage[]): Promise<void> {
    try {
      for (const page of pages) await runGuide(path.join(study, `${page}.md`), this.#terminal);
    } finally {
      await this.#terminal.run(remains);
    }
  }

  async studyWithTrimtab(): Promise<void> {
    const controller = await startController(this.#engine, 'default');
    try {
      await this.study('trimtab');
    } finally {
      await controller.stop();
    }
  }

  /** The guide in its own namespace, where a controller waits for workloads that opt in. */
  async guide(): Promise<void> {
    const namespace = await this.#engine.namespace();
    const controller = await startController(this.#engine, namespace);
    try {
      await this.#terminal.run(`kubectl config set-context --current --namespace=${namespace}`);
      await runGuide('hot-update.md', this.#terminal);
    } finally {
      await controller.stop();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#terminal.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
