import type { Node, NodeCondition } from '../../objects/node.ts';

export interface Machine {
  name: string;
  cpus: number;
  memoryBytes: number;
  diskBytes: number;
  address: string;
  architecture: string;
  operatingSystem: string;
  kernelVersion: string;
  osImage: string;
  machineId: string;
  bootId: string;
  runtimeVersion: string;
}

/** The version that this kubelet reports: the Kubernetes release whose API the local cluster implements. */
const kubeletVersion = 'v1.36.3';
/** Kubelet's default is 110. Processes cost less than containers, so the node allows more. */
const maxPods = 500;

export function nodeLabels({ name, architecture, operatingSystem }: Machine): Record<string, string> {
  return {
    'beta.kubernetes.io/arch': architecture,
    'beta.kubernetes.io/os': operatingSystem,
    'kubernetes.io/arch': architecture,
    'kubernetes.io/hostname': name,
    'kubernetes.io/os': operatingSystem,
  };
}

/** Capacity of the node. It is also the allocatable amount: nothing is reserved for the system. */
export function nodeCapacity({ cpus, memoryBytes, diskBytes }: Machine): Record<string, string> {
  return {
    cpu: String(cpus),
    memory: `${Math.floor(memoryBytes / 1024)}Ki`,
    pods: String(maxPods),
    'ephemeral-storage': `${Math.floor(diskBytes / 1024)}Ki`,
  };
}

export function nodeStatus(
  machine: Machine,
  known: readonly NodeCondition[],
  now: string,
): NonNullable<Node['status']> {
  const capacity = nodeCapacity(machine);
  return {
    capacity,
    allocatable: capacity,
    conditions: conditionsOf().map((each) => ({ ...each, ...timesOf(each, known, now) })),
    addresses: [
      { type: 'InternalIP', address: machine.address },
      { type: 'Hostname', address: machine.name },
    ],
    nodeInfo: {
      machineID: machine.machineId,
      systemUUID: machine.machineId,
      bootID: machine.bootId,
      kernelVersion: machine.kernelVersion,
      osImage: machine.osImage,
      containerRuntimeVersion: machine.runtimeVersion,
      kubeletVersion,
      kubeProxyVersion: '',
      operatingSystem: machine.operatingSystem,
      architecture: machine.architecture,
    },
  };
}

function conditionsOf() {
  const is = (type: string, status: 'True' | 'False', reason: string, message: string) => ({
    type,
    status,
    reason,
    message,
  });
  return [
    is('MemoryPressure', 'False', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'),
    is('DiskPressure', 'False', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'),
    is('PIDPressure', 'False', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'),
    is('Ready', 'True', 'KubeletReady', 'kubelet is posting ready status'),
  ];
}

function timesOf(
  { type, status }: { type: string; status: string },
  known: readonly NodeCondition[],
  now: string,
) {
  const before = known.find((each) => each.type === type);
  const lastTransitionTime = before?.status === status ? before.lastTransitionTime : now;
  return { lastHeartbeatTime: now, lastTransitionTime };
}
