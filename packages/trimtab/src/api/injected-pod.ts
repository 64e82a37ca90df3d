/**
 * The work of the agent in an injected pod. The injector writes it as JSON into the agent's environment, and the agent
 * reads it at its start. A pod's spec is immutable, so both sides must read what an older release has written.
 */
export interface InjectedPod {
  /** The managed configs that the pod references, in the order of its references. */
  configs: readonly InjectedConfig[];
  /** The volumes that the agent fills, one for each volume with a managed config. */
  volumes: readonly InjectedVolume[];
  /** The port of the in-pod endpoint. */
  port: number;
  /** How each container that uses a managed config is told about a change. */
  reload: readonly ContainerReload[];
  /** What must succeed after the containers were told. */
  verify: readonly ContainerVerify[];
}

/** A managed config, and the version that was assigned to the pod when it was created. */
export interface InjectedConfig {
  kind: 'ConfigMap' | 'Secret';
  name: string;
  /** The version's name, such as `1.0.3`. */
  version: string;
  /** The name of the ConfigMap or Secret that holds the version. */
  object: string;
  /** The keys that the pod's spec names; optional, defaults to all keys. */
  keys?: readonly string[];
  /** The folder in which the agent finds the keys of that version as files. The kubelet mounts it. */
  birthPath: string;
}

/** A volume of the pod that the agent fills. Containers mount it where they mounted the original volume. */
export interface InjectedVolume {
  /** The name of the volume in the pod's spec. */
  name: string;
  /** Where the agent mounts the volume. */
  path: string;
  /** In the order of the original volume; the later of two files with the same path wins. */
  sources: readonly InjectedSource[];
  /**
   * The mode of files without one. The injector has adapted all modes to the user of the agent, who owns the files: the
   * agent applies them as they are. With an fsGroup, new files inherit the group of the folder.
   */
  fileMode: number;
  /**
   * The paths in the volume that containers mount by `subPath`. The kubelet binds such a mount to the file that exists when
   * the container starts, so the agent changes these files in place.
   */
  subPaths?: readonly string[];
}

export type InjectedSource =
  /** An entry of `configs`, by its index. Without `items`, each key is a file at the root of the volume. */
  | {
      config: number;
      items?: readonly InjectedItem[];
      /** An item whose key does not exist is left out. Otherwise it is a failure. */
      optional?: true;
    }
  /**
   * A folder with sources of a projected volume that are not managed; the kubelet keeps it up to date. `modes` has the
   * modes of files by their path; other files have the mode of the volume.
   */
  | { keptPath: string; modes?: Readonly<Record<string, number>> };

export interface InjectedItem {
  key: string;
  path: string;
  mode?: number;
}

/** How a container is told that its configuration has changed: one entry of `trimtab.dev/reload`. */
export type ReloadAction =
  | { by: 'signal'; signal: string }
  /** A request to the application, such as `POST http://localhost:9090/-/reload`. */
  | { by: 'http'; method: string; url: string }
  /** A POST with the names and versions of the changed configs. */
  | { by: 'webhook'; url: string }
  /** The application asks the in-pod endpoint. */
  | { by: 'pull' };

/** Several containers may have the same `http` or `webhook` action: the agent sends one request for all of them. */
export interface ContainerReload {
  container: string;
  action: ReloadAction;
}

/**
 * A request that must succeed after a reload: one entry of `trimtab.dev/verify`. Several containers may have the same
 * request, which the agent sends once.
 */
export interface ContainerVerify {
  container: string;
  method: string;
  url: string;
}

/** Names and paths inside an injected pod. */
export const injected = {
  container: 'trimtab-agent',
  /** Environment variables of the agent. */
  env: {
    pod: 'TRIMTAB_POD',
    gateway: 'TRIMTAB_GATEWAY',
    gatewayCa: 'TRIMTAB_GATEWAY_CA',
    /** What the injector has changed, so that it can restore the original pod. The agent does not read it. */
    original: 'TRIMTAB_ORIGINAL',
    /** The value of --health-port. */
    healthPort: 'TRIMTAB_AGENT_HEALTH_PORT',
    /** The endpoint's token, when the pod's spec holds it (`trimtab.dev/token-env`). Otherwise the agent creates one. */
    token: 'MY_CONFIG_TOKEN',
  },
  /** Environment variables of all other containers. */
  applicationEnv: {
    podIp: 'TRIMTAB_POD_IP',
    endpoint: 'MY_CONFIG_ENDPOINT',
    tokenFile: 'MY_CONFIG_TOKEN_FILE',
    ca: 'MY_CONFIG_CA',
    token: 'MY_CONFIG_TOKEN',
  },
  volumes: {
    /** The projected service account token for the gateway; only the agent mounts it. */
    identity: 'trimtab-identity',
    /** Memory-backed: the endpoint's private key; only the agent mounts it. */
    private: 'trimtab-private',
    /** Memory-backed: the endpoint's token and public certificate; every container mounts it. */
    public: 'trimtab-public',
    birthPrefix: 'trimtab-birth-',
    keptPrefix: 'trimtab-kept-',
  },
  paths: {
    identity: '/var/run/trimtab/identity',
    identityToken: '/var/run/trimtab/identity/token',
    private: '/var/run/trimtab/private',
    /** The same path in all containers. */
    public: '/var/run/trimtab/public',
    birth: '/var/run/trimtab/birth',
    kept: '/var/run/trimtab/kept',
    volumes: '/var/run/trimtab/volumes',
  },
  /**
   * Files in the public volume. The kubelet reads `tokenEnv` as an env file, whose values must be in single quotes:
   * `MY_CONFIG_TOKEN='…'`.
   */
  files: { token: 'token', certificate: 'ca.crt', tokenEnv: 'token.env' },
} as const;
