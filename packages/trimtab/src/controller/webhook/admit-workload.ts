import type { Clock } from '@trimtab/kube/clock.ts';
import type { Logger } from '@trimtab/kube/log/log.ts';
import { type ConfigKey, configKey, readConfigKey } from '../../core/references/config-key.ts';
import type { ConfigId } from '../../core/workload/opt-in.ts';
import type { MountableSecrets } from '../service-accounts/mountable-secrets.ts';
import type { AdmissionLookup } from './admission-lookup.ts';
import { type AdmissionRequest, type Mutation, unchanged } from './admission-review.ts';
import type { JoinWorkload } from './join-workload.ts';
import { mutateWorkload, type WorkloadMutation } from './mutate-workload.ts';
import { onlyMountable } from './only-mountable.ts';
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

/**
 * Reads the versions that the template names, or named before, and that no watch has delivered: admission may have assigned them
 * a moment ago.
 */
export type UnknownVersions = (
  request: AdmissionRequest,
  signal: AbortSignal,
) => Promise<readonly (readonly [ConfigKey, string])[]>;

export interface AdmissionOptions {
  lookup: (namespace: string) => AdmissionLookup;
  ensureFirstVersion: EnsureFirstVersion;
  joinWorkload: JoinWorkload;
  unknownVersions: UnknownVersions;
  mountableSecrets: Pick<MountableSecrets, 'learn' | 'allows' | 'limits'>;
  clock: Clock;
  log: Logger;
  /** Timeout of a request; shorter than the timeout of the API server. */
  timeoutMs: number;
}

export type AdmissionResult = 'patched' | 'unchanged' | 'late' | 'failed' | 'denied';

/**
 * Computes the mutation of a workload and creates first versions where needed. Never throws: on a failure the workload
 * is admitted unchanged, and after a timeout with the versions that were known before.
 */
export async function admitWorkload(
  request: AdmissionRequest,
  options: AdmissionOptions,
): Promise<{ mutation: Mutation; result: AdmissionResult }> {
  const { clock, log, timeoutMs } = options;
  const { kind, namespace, name } = request;
  const object = { kind: kind.kind, namespace, name };
  try {
    let known = unchanged;
    const note = ({ patch, warnings, denied }: Mutation) => {
      known = { patch, warnings, ...(denied !== undefined && { denied }) };
    };
    const decided = await withinDeadline(clock, timeoutMs, (signal) =>
      decide(request, options, note, signal),
    );
    const mutation = decided ?? known;
    if (mutation.denied !== undefined) return { mutation, result: 'denied' };
    if (decided !== undefined)
      return { mutation, result: mutation.patch.length > 0 ? 'patched' : 'unchanged' };
    log.warn({ object }, 'admission timed out; workload admitted with the versions that are known');
    return { mutation, result: 'late' };
  } catch (err) {
    log.error({ object, err }, 'admission failed; workload admitted unchanged');
    return { mutation: unchanged, result: 'failed' };
  }
}

async function decide(
  request: AdmissionRequest,
  given: AdmissionOptions,
  note: (known: Mutation) => void,
  signal: AbortSignal,
): Promise<Mutation> {
  const options = await onlyMountable(request, given, signal);
  const cached = options.lookup(request.namespace);
  // What follows may take too long. Without these versions, the pods would run the live content, which was not judged.
  note(mutateWorkload(request, cached));
  const lookup = withVersions(cached, await options.unknownVersions(request, signal));
  const first = mutateWorkload(request, lookup);
  note(first);
  // A dry run writes nothing, so there is no new version that it could assign.
  if (request.dryRun === true) return first;
  // A config that cannot have versions, such as an optional one that is missing, keeps no workload from joining.
  const made = await firstVersions(request, first, options, signal);
  return made.size === 0
    ? joining(request, first, lookup, options, signal)
    : mutateWorkload(request, withFirstVersions(lookup, made));
}

/**
 * The workload gets what the activation of its edited configs assigns, if there is one. Half of the time must be enough: a
 * slow answer would be the answer of no webhook.
 */
async function joining(
  request: AdmissionRequest,
  first: WorkloadMutation,
  lookup: AdmissionLookup,
  { joinWorkload, clock, log, timeoutMs }: AdmissionOptions,
  signal: AbortSignal,
): Promise<Mutation> {
  const { kind, namespace, name } = request;
  const object = { kind: kind.kind, namespace, name };
  if (first.joinable.length === 0 || first.denied !== undefined) return first;
  try {
    const result = await withinDeadline(clock, timeoutMs / 2, async (late) => ({
      joined: await joinWorkload(request, first, AbortSignal.any([signal, late])),
    }));
    if (result === undefined) log.warn({ object }, 'joining an activation at admission timed out');
    const joined = result?.joined;
    return joined === undefined
      ? first
      : mutateWorkload(request, withVersions(lookup, joined.references), joined);
  } catch (err) {
    // The controller moves the workload later.
    log.warn({ object, err }, 'joining an activation at admission failed');
    return first;
  }
}

/** Creates the first versions of the configs that have none, as far as they can have one. Returns their objects. */
async function firstVersions(
  { namespace }: AdmissionRequest,
  { versionless }: WorkloadMutation,
  { ensureFirstVersion, log }: AdmissionOptions,
  signal: AbortSignal,
): Promise<Map<ConfigKey, string>> {
  const made = new Map<ConfigKey, string>();
  await Promise.all(
    versionless.map(async ({ kind, name }) => {
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
  return made;
}

function withFirstVersions(lookup: AdmissionLookup, made: ReadonlyMap<ConfigKey, string>): AdmissionLookup {
  return {
    ...withVersions(lookup, made),
    current: (kind, config) => made.get(configKey(kind, config)) ?? lookup.current(kind, config),
  };
}

/** Adds versions that were just created, which the cache may not contain yet. */
function withVersions(
  lookup: AdmissionLookup,
  objects: Iterable<readonly [ConfigKey, string]>,
): AdmissionLookup {
  const configs = new Map(
    [...objects].map(([key, object]) => {
      const { kind, name } = readConfigKey(key);
      return [configKey(kind, object), name];
    }),
  );
  return {
    ...lookup,
    version(kind, object) {
      const config = configs.get(configKey(kind, object));
      const known = lookup.version(kind, object);
      return known ?? (config === undefined ? undefined : { config, name: '', rejected: undefined });
    },
  };
}
