import { readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { localPortsOf } from '@trimtab/local-cluster/objects/local-ports.ts';
import { demoPort } from './demo-config.ts';
import { type FleetPod, fleetPod, type ObservedPod } from './fleet-pod.ts';

/** The state that the page shows. */
export interface Fleet {
  pods: FleetPod[];
  /** From the status of the ConfigRollout. */
  current?: string;
  target?: string;
  phase?: string;
}

interface RolloutSeen {
  status?: { current?: { version: string }; target?: { version: string }; phase?: string };
}

interface ConfigSeen {
  metadata: { annotations?: Record<string, string> };
}

const credentials = '/var/run/secrets/kubernetes.io/serviceaccount';
/** Timeout of a request to a pod. A pod that does not respond is shown without its colour and greeting. */
const answerMs = 300;
/** Versions are immutable, so each is read once. */
const versionNames = new Map<string, string>();

/** Reads the pods and the ConfigRollout from the API server with the token of the pod's service account. */
export async function observeFleet(root: string): Promise<Fleet> {
  const [{ items }, rollout] = await Promise.all([
    askServer<{ items: ObservedPod[] }>(root, '/api/v1', 'pods?labelSelector=app%3Ddemo'),
    askServer<RolloutSeen>(root, '/apis/trimtab.dev/v1alpha1', 'configrollouts/configmap-demo').catch(
      (): RolloutSeen => ({}),
    ),
  ]);
  const pods = await Promise.all(items.map((pod) => observePod(root, pod)));
  const { current, target, phase } = rollout.status ?? {};
  return {
    pods: pods.sort((a, b) => a.since.localeCompare(b.since) || a.name.localeCompare(b.name)),
    ...(current && { current: current.version }),
    ...(target && { target: target.version }),
    ...(phase && { phase }),
  };
}

async function observePod(root: string, pod: ObservedPod): Promise<FleetPod> {
  const config = pod.spec.volumes?.find(({ configMap }) => configMap !== undefined)?.configMap?.name;
  const port = localPortsOf(pod.metadata).get(demoPort) ?? demoPort;
  const [version, says] = await Promise.all([
    config === undefined ? undefined : versionOf(root, config).catch(() => undefined),
    pod.status?.podIP === undefined
      ? undefined
      : askPod(`http://${pod.status.podIP}:${port}/self`).catch(() => undefined),
  ]);
  return fleetPod(pod, version, says);
}

async function versionOf(root: string, object: string): Promise<string | undefined> {
  const known = versionNames.get(object);
  if (known !== undefined) return known;
  const { metadata } = await askServer<ConfigSeen>(root, '/api/v1', `configmaps/${object}`);
  const version = metadata.annotations?.['trimtab.dev/version'];
  if (version !== undefined) versionNames.set(object, version);
  return version;
}

function askServer<T>(root: string, group: string, path: string): Promise<T> {
  const read = (name: string) => readFileSync(`${root}${credentials}/${name}`, 'utf8');
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = process.env;
  const url = `https://${host}:${port}${group}/namespaces/${read('namespace')}/${path}`;
  const headers = { authorization: `Bearer ${read('token')}` };
  return answerOf<T>(httpsRequest(url, { ca: read('ca.crt'), headers, timeout: 2_000 }));
}

function askPod(url: string): Promise<{ colour: string; greeting: string }> {
  return answerOf(httpRequest(url, { timeout: answerMs }));
}

function answerOf<T>(request: ReturnType<typeof httpRequest>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.on('timeout', () => request.destroy(new Error('no response within the timeout')));
    request.on('error', reject);
    request.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => {
        text += part;
      });
      response.on('error', reject);
      response.on('end', () => {
        if (response.statusCode !== 200)
          reject(new Error(`unexpected response status ${response.statusCode}`));
        else resolve(JSON.parse(text) as T);
      });
    });
    request.end();
  });
}
