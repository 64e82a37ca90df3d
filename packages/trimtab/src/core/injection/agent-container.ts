import { type InjectedPod, injected } from '../../api/injected-pod.ts';
import type { Container, EnvVar, ResourceRequirements, VolumeMount } from '../../api/pod-template.ts';
import type { AgentUser } from './agent-user.ts';
import { birthVolumeName } from './birth-volumes.ts';
import { expandedJson, literal } from './env-value.ts';
import type { KeptVolume } from './kept-volumes.ts';
import { type Original, originalEnv } from './original.ts';

/** How the installation runs agents. */
export interface AgentOptions {
  agentImage: string;
  /** Optional; defaults to the entrypoint of the image. */
  agentCommand?: readonly string[];
  imagePullPolicy?: string;
  gatewayUrl: string;
  /** Certificate authorities of the gateway, in PEM. */
  gatewayCa?: string;
}

export interface AgentInput {
  options: AgentOptions;
  pod: InjectedPod;
  original: Original;
  kept: readonly KeptVolume[];
  user: AgentUser;
  resources: ResourceRequirements | undefined;
  healthPort: number;
  hostNetwork: boolean;
  token: string | undefined;
}

/**
 * The native sidecar. It passes the restricted Pod Security Standard, but for user 0, which it runs as only in a pod that
 * does not pass it either. It has no readiness probe: a fault of the agent does not take the application out of service.
 */
export function agentContainer(input: AgentInput): Container {
  const { options, user, resources, healthPort, pod } = input;
  const { agentImage: image, agentCommand: command, imagePullPolicy } = options;
  const probe = (path: string) => ({ httpGet: { path, port: healthPort }, timeoutSeconds: 5 });
  const container = {
    name: injected.container,
    image,
    ...(command && { command: [...command] }),
    ...(imagePullPolicy !== undefined && { imagePullPolicy }),
    restartPolicy: 'Always',
    env: agentEnv(input),
    // On the network of the node, the scheduler must know the ports.
    ...(input.hostNetwork && {
      ports: [pod.port, healthPort].map((port) => ({ containerPort: port, hostPort: port, protocol: 'TCP' })),
    }),
    ...(resources && { resources }),
    securityContext: {
      runAsUser: user.user,
      runAsNonRoot: user.user !== 0,
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'], ...(user.kill && { add: ['KILL'] }) },
      seccompProfile: { type: 'RuntimeDefault' },
    },
    // Init containers and applications start when the files are written.
    startupProbe: { ...probe('/readyz'), periodSeconds: 1, failureThreshold: 300 },
    livenessProbe: { ...probe('/livez'), periodSeconds: 10, failureThreshold: 6 },
    volumeMounts: agentMounts(input),
  };
  return container;
}

function agentEnv({ options, pod, original, healthPort, token }: AgentInput): EnvVar[] {
  const { env } = injected;
  const field = (name: string, fieldPath: string) => ({ name, valueFrom: { fieldRef: { fieldPath } } });
  return [
    { name: env.pod, value: expandedJson(pod) },
    { name: env.gateway, value: literal(options.gatewayUrl) },
    ...(options.gatewayCa === undefined ? [] : [{ name: env.gatewayCa, value: literal(options.gatewayCa) }]),
    { name: env.healthPort, value: String(healthPort) },
    ...(token === undefined ? [] : [{ name: env.token, value: literal(token) }]),
    field('POD_IP', 'status.podIP'),
    field('POD_IPS', 'status.podIPs'),
    // The agent is idle most of the time: without the timer of Bun it does not wake up for nothing.
    { name: 'BUN_GC_TIMER_DISABLE', value: '1' },
    originalEnv(original),
  ];
}

function agentMounts({ pod, kept }: AgentInput): VolumeMount[] {
  const { volumes, paths } = injected;
  return [
    { name: volumes.identity, mountPath: paths.identity, readOnly: true },
    { name: volumes.private, mountPath: paths.private },
    { name: volumes.public, mountPath: paths.public },
    ...pod.configs.map(({ birthPath }, index) => ({
      name: birthVolumeName(index),
      mountPath: birthPath,
      readOnly: true,
    })),
    ...kept.map(({ volume, path }) => ({ name: volume.name, mountPath: path, readOnly: true })),
    ...pod.volumes.map(({ name, path }) => ({ name, mountPath: path })),
  ];
}
