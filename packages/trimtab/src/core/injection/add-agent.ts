import type { InjectedPod } from '../../api/injected-pod.ts';
import type { PodTemplate } from '../../api/pod-template.ts';
import { agentContainer } from './agent-container.ts';
import { agentResources } from './agent-resources.ts';
import { agentUser, commonUser } from './agent-user.ts';
import { agentVolumes } from './agent-volumes.ts';
import { applicationEnv } from './application-env.ts';
import { birthPath, birthVolume } from './birth-volumes.ts';
import { changeContainer } from './change-container.ts';
import { changeMetadata } from './change-metadata.ts';
import { type ContainerUse, containerUses } from './container-use.ts';
import type { FileOwner } from './file-mode.ts';
import { fillVolumes } from './fill-volumes.ts';
import { healthPort } from './health-port.ts';
import type { Injection, InjectOptions } from './inject.ts';
import { tooLong } from './injected-size.ts';
import type { ManagedConfigs } from './managed-configs.ts';
import { emptinessOf, type Original } from './original.ts';
import { portProblems, processNamespaceProblems } from './pod-problems.ts';
import type { ReloadSettings } from './reload-annotations.ts';
import { settingWarnings } from './setting-warnings.ts';
import { toldContainers } from './told-containers.ts';

export interface AddInput {
  options: InjectOptions;
  settings: ReloadSettings;
  configs: ManagedConfigs;
  /** The problems that are known already; all problems are reported together. */
  problems: readonly string[];
}

/** Adds the agent to a pod that is not injected and references managed configs. */
export function addAgent<T extends PodTemplate>(original: T, input: AddInput): Injection<T> {
  const { options, settings, configs } = input;
  const uses = containerUses(original, configs);
  const told = toldContainers(uses, settings);
  const signalled = uses.filter(({ container: { name } }) =>
    told.reload.some(({ container, action }) => container === name && action.by === 'signal'),
  );
  const problems = [
    ...input.problems,
    ...portProblems(original, settings.port),
    ...(signalled.length > 0 ? processNamespaceProblems(original) : []),
  ];
  if (problems.length > 0) return { problems };

  const copy = structuredClone(original);
  copy.spec ??= {};
  const { spec } = copy;
  const user = agentUser(original, signalled.map(containerOf), mountingOf(uses).map(containerOf));
  const token = settings.tokenEnv && !options.envFiles ? options.token : undefined;
  const { volumes, replaced, filled, kept } = fillVolumes(spec.volumes ?? [], {
    configs,
    mounts: uses.flatMap(({ container }) => container.volumeMounts ?? []),
    ownerOf: (volume) => fileOwner(original, volume, uses, user.user),
    restrictsCredentials: hasFsGroup(original) || commonUser(original, uses.map(containerOf)) !== undefined,
  });
  const record: Original = {
    volumes: replaced,
    containers: [],
    empty: emptyFields(original),
  };
  const env = applicationEnv({ ...settings, ...options, token });
  for (const container of [...(spec.initContainers ?? []), ...(spec.containers ?? [])])
    record.containers.push(changeContainer(container, { env, configs, filled }));
  if (signalled.length > 0 && spec.hostPID !== true && spec.shareProcessNamespace !== true) {
    record.shareProcessNamespace = spec.shareProcessNamespace === undefined ? 'absent' : 'null';
    spec.shareProcessNamespace = true;
  }
  changeMetadata(copy, record, options.workload);
  const pod: InjectedPod = {
    configs: configs.list.map(({ kind, config, version, object, keys }, index) => ({
      ...{ kind, name: config, version, object },
      ...(keys && { keys: keys.map(({ name }) => name) }),
      birthPath: birthPath(index),
    })),
    ...{ volumes: filled, port: settings.port, reload: told.reload, verify: told.verify },
  };
  const agent = agentContainer({
    ...{ options, pod, original: record, kept, user, token },
    resources: options.resources ?? agentResources(spec),
    healthPort: healthPort(original, settings.port),
    hostNetwork: spec.hostNetwork === true,
  });
  const long = tooLong(agent);
  if (long.length > 0) return { problems: long };
  spec.initContainers = [agent, ...(spec.initContainers ?? [])];
  spec.volumes = [
    ...volumes,
    ...agentVolumes(configs.list.length),
    ...configs.list.map(birthVolume),
    ...kept.map(({ volume }) => volume),
  ];
  return {
    pod: copy,
    warnings: [...told.warnings, ...user.warnings, ...settingWarnings(original, settings, options)],
    environment: uses.filter(({ environment }) => environment).map(({ container }) => container.name),
  };
}

function containerOf({ container }: ContainerUse): ContainerUse['container'] {
  return container;
}

/** The containers that read files of the agent. When there is none, the agent takes the user of all containers. */
function mountingOf(uses: readonly ContainerUse[]): readonly ContainerUse[] {
  const mounting = uses.filter(({ volumes }) => volumes.size > 0);
  return mounting.length > 0 ? mounting : uses;
}

function fileOwner(
  pod: PodTemplate,
  volume: string,
  uses: readonly ContainerUse[],
  agent: number,
): FileOwner {
  const mounting = uses.filter(({ volumes }) => volumes.has(volume)).map(containerOf);
  const isReader = mounting.length > 0 && commonUser(pod, mounting) === agent;
  return { user: agent === 0 ? 'root' : isReader ? 'reader' : 'other', fsGroup: hasFsGroup(pod) };
}

function hasFsGroup({ spec }: PodTemplate): boolean {
  return typeof spec?.securityContext?.fsGroup === 'number';
}

function emptyFields({ metadata, spec }: PodTemplate): Original['empty'] {
  const fields = {
    metadata,
    labels: metadata?.labels,
    annotations: metadata?.annotations,
    initContainers: spec?.initContainers,
    volumes: spec?.volumes,
  };
  return Object.fromEntries(
    Object.entries(fields).flatMap(([field, value]) => {
      const was = emptinessOf(value);
      return was === undefined ? [] : [[field, was]];
    }),
  );
}
