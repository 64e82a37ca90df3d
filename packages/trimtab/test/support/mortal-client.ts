import type { KubeClient, WriteOptions } from '@trimtab/kube/client.ts';
import { NetworkError } from '@trimtab/kube/transport/errors.ts';

export type Moment = 'before' | 'after';

/**
 * A client whose program is killed at a write: the write fails before or after it takes effect, and every later call
 * fails. `deathAt` is called with the number of each write, dry runs not counted.
 */
export function mortalClient(
  client: KubeClient,
  deathAt: (write: number) => Moment | undefined,
  onDeath: () => void = () => {},
): KubeClient {
  let writes = 0;
  let isDead = false;
  const broken = () => new NetworkError('ECONNRESET', 'maybe', 'the connection broke');
  const read = async <T>(call: () => Promise<T>): Promise<T> => {
    if (isDead) throw broken();
    return call();
  };
  const write = async <T>(options: Pick<WriteOptions, 'dryRun'> | undefined, call: () => Promise<T>) => {
    if (isDead) throw broken();
    if (options?.dryRun) return call();
    writes += 1;
    const moment = deathAt(writes);
    if (moment === undefined) return call();
    isDead = true;
    try {
      if (moment === 'after') await call();
    } finally {
      onDeath();
    }
    throw broken();
  };
  return {
    get: (...args) => read(() => client.get(...args)),
    list: (...args) => read(() => client.list(...args)),
    watch: (...args) => read(() => client.watch(...args)),
    raw: (...args) => read(() => client.raw(...args)),
    create: (resource, object, options) => write(options, () => client.create(resource, object, options)),
    update: (resource, object, options) => write(options, () => client.update(resource, object, options)),
    patch: (resource, where, patch, options) =>
      write(options, () => client.patch(resource, where, patch, options)),
    delete: (resource, where, options) => write(options, () => client.delete(resource, where, options)),
  };
}
