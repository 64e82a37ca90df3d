import { parseImageReference } from '../../../objects/image-reference.ts';
import type { Container, PodSpec, Probe, Volume } from './pod-types.ts';

/** Sets the defaults of a pod spec, in pods and in templates. */
export function defaultPodSpec(spec: PodSpec): void {
  for (const container of [
    ...(spec.containers ?? []),
    ...(spec.initContainers ?? []),
    ...(spec.ephemeralContainers ?? []),
  ])
    defaultContainer(container);
  for (const volume of spec.volumes ?? []) defaultVolume(volume);
  spec.restartPolicy ??= 'Always';
  spec.terminationGracePeriodSeconds ??= 30;
  spec.dnsPolicy ??= 'ClusterFirst';
  spec.securityContext ??= {};
  spec.schedulerName ??= 'default-scheduler';
  // serviceAccount is the deprecated name of serviceAccountName.
  if (spec.serviceAccountName !== undefined) spec.serviceAccount = spec.serviceAccountName;
  else if (spec.serviceAccount !== undefined) spec.serviceAccountName = spec.serviceAccount;
  if (spec.hostNetwork)
    for (const { ports = [] } of [...(spec.containers ?? []), ...(spec.initContainers ?? [])])
      for (const port of ports) if (!port.hostPort) port.hostPort = port.containerPort;
}

/** A request defaults to the limit. This applies to pods only; a template stays unchanged. */
export function defaultRequests({ containers, initContainers }: PodSpec): void {
  for (const { resources } of [...(containers ?? []), ...(initContainers ?? [])])
    if (resources?.limits !== undefined) resources.requests = { ...resources.limits, ...resources.requests };
}

function defaultContainer(container: Container): void {
  container.terminationMessagePath ??= '/dev/termination-log';
  container.terminationMessagePolicy ??= 'File';
  container.imagePullPolicy ??= pullPolicy(container.image ?? '');
  for (const port of container.ports ?? []) port.protocol ??= 'TCP';
  for (const { valueFrom } of container.env ?? [])
    if (valueFrom?.fieldRef) valueFrom.fieldRef.apiVersion ??= 'v1';
  for (const probe of [container.livenessProbe, container.readinessProbe, container.startupProbe])
    if (probe !== undefined) defaultProbe(probe);
  for (const handler of [container.lifecycle?.postStart, container.lifecycle?.preStop])
    if (handler?.httpGet !== undefined) defaultHttpGet(handler.httpGet);
}

/** The tag `latest`, whether written or implied, can move to another image, so it is always pulled. */
function pullPolicy(image: string): string {
  const parsed = parseImageReference(image);
  if ('problem' in parsed) return 'IfNotPresent';
  const { tag, digest } = parsed;
  return tag === 'latest' || (tag === undefined && digest === undefined) ? 'Always' : 'IfNotPresent';
}

function defaultProbe(probe: Probe): void {
  probe.timeoutSeconds ??= 1;
  probe.periodSeconds ??= 10;
  probe.successThreshold ??= 1;
  probe.failureThreshold ??= 3;
  if (probe.httpGet !== undefined) defaultHttpGet(probe.httpGet);
  if (probe.grpc !== undefined) probe.grpc.service ??= '';
}

function defaultHttpGet(action: { path?: string; scheme?: string }): void {
  action.path ??= '/';
  action.scheme ??= 'HTTP';
}

const readableByAll = 0o644;

function defaultVolume(volume: Volume): void {
  if (Object.keys(volume).length === 1) volume.emptyDir = {};
  for (const source of [volume.configMap, volume.secret, volume.downwardAPI, volume.projected])
    if (source !== undefined) source.defaultMode ??= readableByAll;
  if (volume.hostPath !== undefined) volume.hostPath.type ??= '';
  for (const { fieldRef } of volume.downwardAPI?.items ?? [])
    if (fieldRef !== undefined) fieldRef.apiVersion ??= 'v1';
  for (const { serviceAccountToken, downwardAPI } of volume.projected?.sources ?? []) {
    if (serviceAccountToken !== undefined) serviceAccountToken.expirationSeconds ??= 3600;
    for (const { fieldRef } of downwardAPI?.items ?? [])
      if (fieldRef !== undefined) fieldRef.apiVersion ??= 'v1';
  }
}
