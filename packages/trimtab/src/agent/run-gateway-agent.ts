import { join } from 'node:path';
import { type Clock, systemClock } from '@trimtab/kube/clock.ts';
import { errors, OperationalError } from '@trimtab/kube/errors.ts';
import type { HealthChecks } from '@trimtab/kube/http/health-checks.ts';
import type { Logger } from '@trimtab/kube/log/log.ts';
import type { Registry } from '@trimtab/kube/metrics/metrics.ts';
import type { InjectedConfig, InjectedVolume } from '../api/injected-pod.ts';
import { Acknowledgements } from './acknowledge/acknowledgements.ts';
import { acceptedResults, refusedResults } from './acknowledge/version-results.ts';
import { Agent } from './agent.ts';
import type { AgentObserver } from './agent-observer.ts';
import type { EndpointConfig } from './endpoint/dictionary.ts';
import { composeVolumes } from './files/compose-volumes.ts';
import { ConfigVolumes } from './files/config-volumes.ts';
import { describeWriteError } from './files/file-errors.ts';
import { KeptFolders } from './files/kept-folder.ts';
import { rejectionFile } from './files/rejection-file.ts';
import { firstName } from './files/relative-path.ts';
import { storedConfigs } from './files/stored-configs.ts';
import type { VolumesSet } from './files/volumes-set.ts';
import { agentMetrics } from './health/agent-metrics.ts';
import { livenessProblem } from './health/agent-state.ts';
import type { InjectedSettings } from './injected-settings.ts';
import { ContainerReloader, type ContainerTimings, type HooksOf } from './reload/container-reloader.ts';
import { birthConfig } from './source/birth-configs.ts';
import { type Config, displayName } from './source/config.ts';
import { GatewayClient } from './source/gateway-client.ts';
import { GatewaySource } from './source/gateway-source.ts';
import type { Source } from './source/source.ts';

export interface GatewayAgentOptions {
  settings: InjectedSettings;
  namespace: string;
  paths: GatewayAgentPaths;
  timings: ContainerTimings;
  /** Serves the configs that the application runs with. */
  publish?(configs: readonly EndpointConfig[]): void;
  /** The hooks of a container; see ContainerReloader. */
  hooksOf?: HooksOf;
  log: Logger;
  metrics: Registry;
  checks: HealthChecks;
  signal: AbortSignal;
  clock?: Clock;
  onStep?: (step: string) => void;
}

/** See `injected.paths`. */
interface GatewayAgentPaths {
  identityToken: string;
  private: string;
  public: string;
}

export interface RunningGatewayAgent {
  agent: Agent<VolumesSet>;
  ended: Promise<void>;
}

/** How long the gateway is waited for at the start of the pod, before the version of its birth is used. */
const patienceMs = 1_000;

/** Runs the agent of an injected pod, which gets its configs from the gateway, until the signal aborts. */
export function startGatewayAgent(options: GatewayAgentOptions): RunningGatewayAgent {
  const { settings, namespace, paths, timings, log, checks, signal, clock = systemClock } = options;
  const { configs, volumes: layout, reload, verify } = settings.pod;
  const refs = configs.map(({ kind, name }) => ({ kind, namespace, name }));
  const volumes = openVolumes(options);
  // Containers start when the agent is ready, which is after the first set was accepted.
  const mayRunBefore = volumes.good !== undefined;
  const client = new GatewayClient({
    ...{ url: settings.gateway, tokenPath: paths.identityToken, clock, log },
    ...(settings.gatewayCa !== undefined && { ca: settings.gatewayCa }),
  });
  const acknowledgements = new Acknowledgements({ client, refs, clock, log, signal });
  const source = new GatewaySource({
    ...{ client, configs, namespace, clock, log, patienceMs },
    fallback: fallbackOf(options, volumes),
    onOpen: (index) => acknowledgements.repeat(index),
  });
  const kept = new KeptFolders(keptFolders(layout));
  log.info(
    {
      configs: refs.map(displayName),
      volumes: layout.map(({ name }) => name),
      reload: reload.map(({ container, action }) => `${container}=${action.by}`),
      isRestarted: mayRunBefore,
    },
    'agent started',
  );
  const agent = new Agent<VolumesSet>({
    source: withKept(source, kept, clock),
    root: volumes,
    configRoot: 'the volumes of the pod',
    compose: (present) =>
      composeVolumes(present, { volumes: layout, readKept: (folder) => kept.read(folder) }),
    reloader: new ContainerReloader({
      ...{ reload, verify, clock, timings, mayRunBefore },
      hooksOf: options.hooksOf ?? (() => []),
      publicVolume: paths.public,
    }),
    observer: observerOf(options, acknowledgements),
    goodConfigs: () => storedConfigs(volumes),
    rejections: rejectionFile(join(paths.private, 'rejected.json')),
    refuseUnwrittenMs: timings.acknowledgeMs,
    once: false,
    // The source itself falls back to the last good set, or to the version of the pod's birth.
    startTimeoutMs: Number.MAX_SAFE_INTEGER,
    ...{ log, clock, metrics: agentMetrics(options.metrics) },
    ...(options.onStep && { onStep: options.onStep }),
  });
  checks.addReadiness('config', () => agent.state().notReady);
  checks.addLiveness('reload', () => livenessProblem(agent.state(), 'gateway', 0), { onlyLive: true });
  return { agent, ended: agent.run(signal).finally(() => client.close()) };
}

function openVolumes({ settings, paths, onStep }: GatewayAgentOptions): ConfigVolumes {
  const volumes = new ConfigVolumes({
    configsFolder: join(paths.private, 'configs'),
    volumes: settings.pod.volumes.map((volume) => ({
      path: volume.path,
      fileMode: volume.fileMode,
      inPlace: [...new Set(subPathsOf(volume).map(firstName))],
    })),
    ...(onStep && { onStep }),
  });
  try {
    volumes.recover();
  } catch (cause) {
    if (cause instanceof OperationalError) throw cause;
    const { path = 'the volumes of the pod' } = cause as NodeJS.ErrnoException;
    throw new OperationalError(errors.ConfigInvalid, describeWriteError(cause, path), { cause });
  }
  return volumes;
}

/** What the gateway has not answered yet: the last good set on disk, or the version of the pod's birth. */
function fallbackOf({ settings, namespace, log }: GatewayAgentOptions, volumes: ConfigVolumes) {
  let stored: Config[] | undefined;
  return (index: number): Config | undefined => {
    stored ??= storedConfigs(volumes);
    const config = settings.pod.configs[index];
    if (config === undefined) return undefined;
    const found = stored?.find(({ kind, name }) => kind === config.kind && name === config.name);
    if (found !== undefined) return found;
    try {
      return birthConfig(config, namespace);
    } catch (err) {
      log.error(
        { config: `${config.kind} ${config.name}`, err },
        'version of the birth of the pod could not be read',
      );
      return undefined;
    }
  };
}

function observerOf(
  { settings, publish }: GatewayAgentOptions,
  acknowledgements: Acknowledgements,
): AgentObserver {
  let published: readonly Config[] = [];
  return {
    inUse(configs) {
      const isNew = configs.some((config, index) => config !== published[index]);
      if (isNew)
        publish?.(configs.map((config, index) => endpointConfig(config, settings.pod.configs[index])));
      published = configs;
    },
    accepted: (sources) => acknowledgements.report(acceptedResults(sources)),
    refused: (sources, good, reason) => acknowledgements.report(refusedResults(sources, good, reason)),
  };
}

function endpointConfig(
  { kind, name, version = '', entries }: Config,
  injected: InjectedConfig | undefined,
): EndpointConfig {
  return { kind, name, version, entries, ...(injected?.keys && { keys: injected.keys }) };
}

function withKept(source: Source, kept: KeptFolders, clock: Clock): Source {
  return {
    observe: () => source.observe(),
    interruption: () => source.interruption(),
    async run(onChange, signal) {
      await Promise.all([source.run(onChange, signal), kept.run(onChange, clock, signal)]);
    },
  };
}

function keptFolders(volumes: readonly InjectedVolume[]): string[] {
  return volumes.flatMap(({ sources }) =>
    sources.flatMap((source) => ('keptPath' in source ? source.keptPath : [])),
  );
}

/** Paths that containers mount by `subPath`. An older injector does not name them. */
function subPathsOf(volume: InjectedVolume): readonly string[] {
  return volume.subPaths ?? [];
}
