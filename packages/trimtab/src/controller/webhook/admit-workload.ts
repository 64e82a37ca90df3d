import type { Clock } from '@trimtab/kube/clock.ts';
import type { Logger } from '@trimtab/kube/log/log.ts';
import { type ConfigKey, configKey, readConfigKey } from '../../core/references/config-key.ts';
import type { ConfigId } from '../../core/workload/opt-in.ts';
import type { AdmissionLookup } from './admission-lookup.ts';
import { type AdmissionRequest, type Mutation, unchanged } from './admission-review.ts';
import { mutateWorkload } from './mutate-workload.ts';
import { withinDeadline } from './within-deadline.ts';

/**
 * Creates the first version of a config if it has none, and returns the object name of the current version. Returns
 * undefined when the config does not exist or cannot be managed.
 */
export type EnsureFirstVersion = (
  namespace: string,
  kind: ConfigId['kind'],
  name: string,
  signal: AbortSignal,
) => Promise<string | undefined>;

export interface AdmissionOptions {
  lookup: (namespace: string) => AdmissionLookup;
  ensureFirstVersion: EnsureFirstVersion;
  clock: Clock;
  log: Logger;
  /** Timeout of a request; shorter than the timeout of the API server. */
  timeoutMs: number;
}

export type AdmissionResult = 'patched' | 'unchanged' | 'late' | 'failed' | 'denied';

/**
 * Computes the mutation of a workload and creates first versions where needed. Never throws: on a failure the workload
 * is admitted unchanged.
 */
export async function admitWorkload(
  request: AdmissionRequest,
  options: AdmissionOptions,
): Promise<{ mutation: Mutation; result: AdmissionResult }> {
  const { clock, log, timeoutMs } = options;
  const { kind, namespace, name } = request;
  const object = { kind: kind.kind, namespace, name };
  try {
    const mutation = await withinDeadline(clock, timeoutMs, (signal) => decide(request, options, signal));
    if (mutation?.denied !== undefined) return { mutation, result: 'denied' };
    if (mutation !== undefined)
      return { mutation, result: mutation.patch.length > 0 ? 'patched' : 'unchanged' };
    log.warn({ object }, 'admission timed out; workload admitted unchanged');
    return { mutation: unchanged, result: 'late' };
  } catch (err) {
    log.error({ object, err }, 'admission failed; workload admitted unchanged');
    return { mutation: unchanged, result: 'failed' };
  }
}

async function decide(
  request: AdmissionRequest,
  { lookup: lookupFor, ensureFirstVersion, log }: AdmissionOptions,
  signal: AbortSignal,
): Promise<Mutation> {
  const { namespace, dryRun } = request;
  const lookup = lookupFor(namespace);
  const first = mutateWorkload(request, lookup);
  if (first.versionless.length === 0 || dryRun === true) return first;
  const made = new Map<ConfigKey, string>();
  await Promise.all(
    first.versionless.map(async ({ kind, name }) => {
      try {
        const object = await ensureFirstVersion(namespace, kind, name, signal);
        if (object !== undefined) made.set(configKey(kind, name), object);
      } catch (err) {
        // One failed config must not prevent the others from getting their versions.
        log.warn(
          { object: { kind, namespace, name }, err },
          'creating the first version at admission failed',
        );
      }
    }),
  );
  return mutateWorkload(request, withCurrent(lookup, made));
}

/** Adds the versions that were just created, which the cache may not contain yet. */
function withCurrent(lookup: AdmissionLookup, made: ReadonlyMap<ConfigKey, string>): AdmissionLookup {
  const configs = new Map(
    [...made].map(([key, object]) => {
      const { kind, name } = readConfigKey(key);
      return [configKey(kind, object), name];
    }),
  );
  return {
    reloads: lookup.reloads,
    referenceWay: lookup.referenceWay,
    managed: lookup.managed,
    goodRevision: lookup.goodRevision,
    version(kind, object) {
      const config = configs.get(configKey(kind, object));
      const known = lookup.version(kind, object);
      return known ?? (config === undefined ? undefined : { config, name: '', rejected: undefined });
    },
    current: (kind, config) => made.get(configKey(kind, config)) ?? lookup.current(kind, config),
  };
}
