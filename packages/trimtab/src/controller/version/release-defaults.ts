import type { KubeClient } from '@trimtab/kube/client.ts';
import { getIfExists } from '@trimtab/kube/get-if-exists.ts';
import type { Logger } from '@trimtab/kube/log/log.ts';
import { namespaces } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { parseRelease, type ReleaseMode } from '../../core/workload/opt-in.ts';

/** A namespace that cannot be read in this time fails the caller, which tries again. */
const timeoutMs = 5_000;

interface Options {
  client: Pick<KubeClient, 'get'>;
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
  readonly #reading = new Map<string, Promise<ReleaseMode>>();

  constructor(options: Options) {
    this.#options = options;
  }

  /** Configs of one namespace are usually opted in together, and share a read. It does not end with one of its callers. */
  of(namespace: string): Promise<ReleaseMode> {
    const reading = this.#reading.get(namespace);
    if (reading !== undefined) return reading;
    const mode = this.#read(namespace, AbortSignal.timeout(timeoutMs)).finally(() =>
      this.#reading.delete(namespace),
    );
    this.#reading.set(namespace, mode);
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
