import type { Engine } from '@trimtab/test-bed/engines/engine.ts';
import { kubectl } from '@trimtab/test-bed/engines/kubectl.ts';
import { clusterRoleFor, serviceAccount } from '@trimtab/test-bed/objects/rights.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { expect } from 'vitest';
import { parse } from 'yaml';
import { systemNamespace } from '../../../src/api/names.ts';
import { RealReload } from './real-reload.ts';
import { askEndpoint, servedText } from './served-text.ts';

/** The ConfigMap of the proposal, which spells the name as `Name`. */
const configMap = (color: string, version = '') => `
apiVersion: v1
kind: ConfigMap
metadata:
  Name: example-configmap
  ${version}
data:
  # property-like keys
  game-properties-file-name: game.properties
  ui-properties-file-name: ui.properties
  # file-like keys
  game.properties: |
    enemies=aliens
    lives=3
    enemies.cheat=true
    enemies.cheat.level=noGoodRotten
    secret.code.passphrase=UUDDLRLRBABAS
    secret.code.allowed=true
    secret.code.lives=30
  ui.properties: |
    color.good=${color}
    color.bad=yellow
    allow.textmode=true
    how.nice.to.look=fairlyNice
`;

/** Asks the endpoint when it starts and at SIGUSR1, and serves the first line of `ui.properties`. */
const application = `
${askEndpoint}
const load = async () => {
  const { body } = await ask('GET');
  const { 'ui.properties': properties, 'configmap/example-configmap': version } = JSON.parse(body);
  text = version + ' ' + properties.split('\\n')[0];
};
process.on('SIGUSR1', load);
load();
`;

/** The ReplicationController of the proposal, with the template that it leaves out. */
const replicationController = (container: object) => `
apiVersion: v1
kind: ReplicationController
metadata:
  name: nginx
spec:
  ConfigRestarts: false # I will use SIGUSRx or Web Hooks // default value is true
  OverrideConfigPort: 9002 # overriding the default value of config endpoint port (passed to paused container)
  replicas: 2
  selector:
    app: nginx
  template:
    metadata:
      labels:
        app: nginx
    spec:
      terminationGracePeriodSeconds: 0
      containers:
      - ${JSON.stringify({ name: 'nginx', ...container, volumeMounts: [{ name: 'config', mountPath: '/etc/config' }] })}
      volumes:
      - name: config
        configMap:
          name: example-configmap
`;

const verbs = { POST: 'create', PUT: 'replace', GET: 'get', DELETE: 'delete' } as const;

/**
 * The walk of the proposal: create, add a version, make it current; the application gets SIGUSR1 and asks the endpoint.
 * Then versions are deleted.
 */
export async function proposalWalk(engine: Engine): Promise<void> {
  await using real = await RealReload.open(engine);
  const { it } = real;
  const { namespace } = it;
  const alice = { serviceAccount: 'alice', namespace };
  await it.given.objects(serviceAccount('alice'), clusterRoleFor('edit', 'alice', alice));
  const address = await real.gateway.address(engine, systemNamespace);
  const kubeconfig = await engine.kubeconfigOf(alice, { ...address, url: real.gatewayUrl });
  const through = async (args: string[], stdin = '') => {
    const { code, stdout, stderr } = await kubectl(engine, args, { namespace, kubeconfig, stdin });
    if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`);
    return stdout;
  };
  const request = async (method: keyof typeof verbs, path: string, body?: string) => {
    const verb = verbs[method];
    const raw = [verb, '--raw', path, ...(body === undefined ? [] : ['--filename', '-'])];
    return JSON.parse(await through(raw, body === undefined ? '' : JSON.stringify(parse(body))));
  };
  await waitFor('alice may edit', async () => {
    const seen = await through(['auth', 'can-i', 'create', 'replicationcontrollers']).catch(String);
    return seen.trim() === 'yes' ? { met: true } : { seen };
  });

  // POST /api/v1/namespaces/{namespace}/configmaps/{optional version}
  const configMaps = `/api/v1/namespaces/${namespace}/configmaps`;
  const first = await request('POST', `${configMaps}/1.0.0`, configMap('purple', 'version: 1.0.0'));
  expect(first.metadata).toMatchObject({ name: 'example-configmap', version: '1.0.0' });
  // The first version created of a ConfigMap is always considered current.
  await it.isCurrent('1.0.0', 'configmap-example-configmap');

  await through(['apply', '--filename', '-'], replicationController(servedText(engine, application)));
  const pods = await real.readyPods('nginx', 2);
  const serve = async (text: string) => {
    for (const pod of pods) await real.answers(`http://${pod.address}:8080/`, text);
  };
  await serve('1.0.0 color.good=purple');

  // POST /api/v1/namespaces/{namespace}/configmaps/{name}/{optional version}
  const config = `${configMaps}/example-configmap`;
  await request('POST', `${config}/1.0.1`, configMap('green'));
  await expect(request('POST', `${config}/1.0.1`, configMap('red'))).rejects.toThrow('exist');
  await serve('1.0.0 color.good=purple');

  // PUT /api/v1/namespaces/{namespace}/configmaps/{name}/current
  await request('PUT', `${config}/current`, '{ version: 1.0.1 }');
  await serve('1.0.1 color.good=green');
  // GET /api/version/namespaces/{namespace}/configmaps/{name}/current
  const currentOf = (name: string) =>
    request('GET', `/api/version/namespaces/${namespace}/configmaps/${name}/current`);
  expect((await currentOf('example-configmap')).metadata.version).toBe('1.0.1');
  // The same pods, without a restart.
  expect(await real.readyPods('nginx', 2)).toEqual(pods);

  // The string "current" can not be used as version name.
  await expect(request('POST', `${config}/current`, configMap('red'))).rejects.toThrow('reserved');

  // DELETE /api/v1/namespaces/{namespace}/configmaps/{name}/{version}
  await request('POST', `${config}/1.0.2`, configMap('red'));
  await request('DELETE', `${config}/1.0.2`);
  await expect(request('GET', `${config}/1.0.2`)).rejects.toThrow('1.0.2');
  // The currently applied version is not deleted.
  await expect(request('DELETE', `${config}/1.0.1`)).rejects.toThrow('current');

  // DELETE /api/v1/namespaces/{namespace}/configmaps/{name}/
  await request('POST', `${config}/1.0.3`, configMap('red'));
  await request('DELETE', `${config}/`);
  await expect(request('GET', `${config}/1.0.3`)).rejects.toThrow('1.0.3');
  expect((await currentOf('example-configmap')).metadata.version).toBe('1.0.1');
  await serve('1.0.1 color.good=green');

  // All existing ConfigMaps are base-lined to version 1.0.0.
  await through(['create', 'configmap', 'existing', '--from-literal=lives=3']);
  expect((await currentOf('existing')).metadata.version).toBe('1.0.0');
}
