import type { KubeClient } from '@trimtab/kube/client.ts';
import type { Clock } from '@trimtab/kube/clock.ts';
import { getIfExists } from '@trimtab/kube/get-if-exists.ts';
import type { Logger } from '@trimtab/kube/log/log.ts';
import { namespaces } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { parseRelease, type ReleaseMode } from '../../core/workload/opt-in.ts';

/** Configs of one namespace are usually opted in together. */
const rereadMs = 5_000;

interface Known {
  readAt: number;
  mode: Promise<ReleaseMode>;
}

interface Options {
  client: Pick<KubeClient, 'get'>;
  clock: Clock;
  log: Logger;
  /** For namespaces without the annotation. */
  usual: ReleaseMode;
}

/**
 * The release mode of configs that opt in without the annotation `trimtab.dev/release`: that of the same annotation of their
 * namespace, or that of the installation. A namespace that cannot be read fails the caller, because edits could be released
 * where a person has to do that.
 */
export class ReleaseDefaults {
  readonly #options: Options;
  readonly #known = new Map<string, Known>();

  constructor(options: Options) {
    this.#options = options;
  }

  of(namespace: string, signal: AbortSignal): Promise<ReleaseMode> {
    const now = this.#options.clock.monotonic();
    for (const [key, { readAt }] of this.#known) if (now - readAt >= rereadMs) this.#known.delete(key);
    const known = this.#known.get(namespace);
    if (known !== undefined) return known.mode;
    const mode = this.#read(namespace, signal);
    this.#known.set(namespace, { readAt: now, mode });
    mode.catch(() => this.#known.delete(namespace));
    return mode;
  }

  async #read(namespace: string, signal: AbortSignal): Promise<ReleaseMode> {
    const { client, log, usual } = this.#options;
    const found = await getIfExists<KubeObject>(
      client,
      namespaces,
      { name: namespace },
      { projection: 'metadata', signal },
    );
    const release = parseRelease(found?.metadata.annotations);
    if ('problem' in release) {
      log.warn(
        { namespace, problem: release.problem },
        'annotation of the namespace is not valid; its configs get release mode Manual',
      );
      return 'Manual';
    }
    return release.value ?? usual;
  }
}
