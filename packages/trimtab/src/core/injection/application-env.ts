import { injected } from '../../api/injected-pod.ts';
import type { EnvVar } from '../../api/pod-template.ts';
import { literal } from './env-value.ts';

export interface ApplicationEnvInput {
  port: number;
  podIpFamily: 'IPv4' | 'IPv6';
  /** The cluster serves environment variables from files: Kubernetes since 1.35. */
  envFiles: boolean;
  /** The token, when the pod's spec holds it. */
  token: string | undefined;
}

const names = injected.applicationEnv;
const { paths, files, volumes } = injected;

/**
 * The environment variables of all containers but the agent. Any type of container may use fileKeyRef. Its volume must be
 * an emptyDir, which the container does not need to mount. The agent has written the file, because it starts first.
 */
export function applicationEnv({ port, podIpFamily, envFiles, token }: ApplicationEnvInput): EnvVar[] {
  const ip = podIpFamily === 'IPv6' ? `[$(${names.podIp})]` : `$(${names.podIp})`;
  const fileKeyRef = { volumeName: volumes.public, path: files.tokenEnv, key: names.token };
  return [
    { name: names.podIp, valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
    { name: names.endpoint, value: `https://${ip}:${port}/config` },
    { name: names.tokenFile, value: `${paths.public}/${files.token}` },
    { name: names.ca, value: `${paths.public}/${files.certificate}` },
    ...(envFiles ? [{ name: names.token, valueFrom: { fileKeyRef } }] : []),
    ...(!envFiles && token !== undefined ? [{ name: names.token, value: literal(token) }] : []),
  ];
}

/** A variable that the container defines itself is left out; without our address, so is the endpoint. */
export function missingEnv(env: readonly EnvVar[], own: readonly EnvVar[]): EnvVar[] {
  const defined = new Set(own.map(({ name }) => name));
  if (defined.has(names.podIp)) defined.add(names.endpoint);
  return env.filter(({ name }) => !defined.has(name));
}
