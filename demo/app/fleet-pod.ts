/** The fields of a pod that the page uses, as the API server returns them. */
export interface ObservedPod {
  metadata: {
    name: string;
    creationTimestamp: string;
    deletionTimestamp?: string;
    annotations?: Record<string, string>;
  };
  spec: {
    volumes?: { configMap?: { name?: string } }[];
  };
  status?: {
    phase?: string;
    podIP?: string;
    conditions?: { type: string; status: string }[];
    containerStatuses?: {
      restartCount: number;
      state?: Partial<Record<'waiting' | 'running' | 'terminated', { reason?: string; message?: string }>>;
      lastState?: { terminated?: { message?: string } };
    }[];
  };
}

/** A pod as the page shows it. */
export interface FleetPod {
  name: string;
  since: string;
  state: string;
  isReady: boolean;
  version?: string;
  /** The configuration that the pod reports at `/self`. */
  colour?: string;
  greeting?: string;
  restarts: number;
  problem?: string;
}

export function fleetPod(
  { metadata, status }: ObservedPod,
  version: string | undefined,
  says: { colour: string; greeting: string } | undefined,
): FleetPod {
  const container = status?.containerStatuses?.[0];
  const isReady =
    status?.conditions?.some((each) => each.type === 'Ready' && each.status === 'True') ?? false;
  const { waiting, terminated } = container?.state ?? {};
  const isGoing = metadata.deletionTimestamp !== undefined;
  const problem = terminated?.message ?? container?.lastState?.terminated?.message;
  return {
    name: metadata.name,
    since: metadata.creationTimestamp,
    state: isGoing ? 'Terminating' : (waiting?.reason ?? terminated?.reason ?? status?.phase ?? 'Pending'),
    isReady: isReady && !isGoing,
    restarts: container?.restartCount ?? 0,
    ...(version !== undefined && { version }),
    ...(says && { colour: says.colour, greeting: says.greeting }),
    ...(problem !== undefined && !isReady && { problem: problem.trim() }),
  };
}
