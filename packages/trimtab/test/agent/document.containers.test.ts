import { currentEngine, type Engine } from '@trimtab/test-bed/engines/engine.ts';
import { configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { postgresConf } from './support/apps.ts';
import { ProgramScene } from './support/program-scene.ts';

/** The pod specs of the document of config-controller, with the container entries as they stand there. */

let engine: Engine;

beforeAll(async () => {
  engine = await currentEngine();
});
afterAll(() => engine?.close());

test('sidecar mode: Prometheus and config-controller as two containers', async () => {
  const it = await ProgramScene.open(engine, 'prometheus');
  await it.when.applied(configMap('prometheus', { 'prometheus.yml': 'global: {scrape_interval: 11s}' }));
  await it.apply(`
apiVersion: v1
kind: Pod
metadata:
  name: prometheus
  labels: {app: prometheus}
spec:
  serviceAccountName: config-reader
  terminationGracePeriodSeconds: 0
  volumes:
  - name: config
    emptyDir: {}
  containers:
  - name: prometheus
    image: prom/prometheus:v2.42.0
    args: [--config.file=/mnt/config/prometheus.yml, --storage.tsdb.path=/prometheus, --web.enable-lifecycle]
    volumeMounts: [{name: config, mountPath: /mnt/config}]
    readinessProbe: {httpGet: {path: /-/ready, port: 9090}, periodSeconds: 1}
  - name: config-controller
    image: atombender/k8s-config-controller:latest
    imagePullPolicy: IfNotPresent
    args:
    - --configroot=/mnt/config
    - --configmap=${it.namespace}/prometheus
    - --reload-http=http://localhost:9090/-/reload
    - --reload-http-method=POST
    volumeMounts: [{name: config, mountPath: /mnt/config}]
`);
  // Prometheus may start before its file exists, and is then restarted by the kubelet.
  const { address } = await it.readyPod('prometheus');
  const url = `http://${address}:9090/api/v1/status/config`;
  await it.answers(url, /scrape_interval: 11s/);
  await it.edit('prometheus', { 'prometheus.yml': 'global: {scrape_interval: 22s}' });
  await it.answers(url, /scrape_interval: 22s/);
});

test('subprocess mode: PostgreSQL as the child of config-controller', async () => {
  const it = await ProgramScene.open(engine, 'postgres');
  await it.when.applied(configMap('postgresql', postgresConf('5MB')));
  // The document's image contains the agent; here an init container puts it in place.
  await it.apply(`
apiVersion: v1
kind: Pod
metadata:
  name: postgresql
  labels: {app: postgresql}
spec:
  serviceAccountName: config-reader
  securityContext: {runAsUser: 999, runAsGroup: 999}
  volumes:
  - {name: config, emptyDir: {}}
  - {name: data, emptyDir: {}}
  - {name: agent, emptyDir: {}}
  initContainers:
  - name: install
    image: trimtab-agent:0.1.0
    args: [--install-to=/agent]
    volumeMounts: [{name: agent, mountPath: /agent}]
  - name: initdb
    image: postgres:15
    command: [initdb, --pgdata=/data/pg, --auth=trust]
    volumeMounts: [{name: data, mountPath: /data}]
  containers:
  - name: postgresql
    image: postgres:15
    command: [/srv/config-controller]
    args:
    - --configroot=/config
    - --configmap=${it.namespace}/postgresql
    - --
    - /usr/lib/postgresql/15/bin/postgres
    - -c
    - config_file=/config/postgresql.conf
    volumeMounts:
    - {name: config, mountPath: /config}
    - {name: data, mountPath: /data}
    - {name: agent, mountPath: /srv/config-controller, subPath: trimtab-agent}
    readinessProbe: {exec: {command: [pg_isready, --host=/tmp]}, periodSeconds: 1}
`);
  const { name } = await it.readyPod('postgresql');
  const show = async () =>
    (
      await it.when.kubectl(
        ...['exec', name, '--', 'psql', '-h', '/tmp', '-U', 'postgres', '-d', 'postgres'],
        ...['-Atc', 'SHOW work_mem'],
      )
    ).trim();
  expect(await show()).toBe('5MB');
  await it.edit('postgresql', postgresConf('6MB'));
  await it.eventually('work_mem is 6MB', async () => {
    const seen = await show();
    return seen === '6MB' ? { met: true } : { seen };
  });
  // The agent is the first process of the container: TERM reaches PostgreSQL, which ends in order.
  await it.when.kubectl('delete', 'pod', name, '--wait=false');
  await it.eventually('PostgreSQL shuts down', async () => {
    const log = await it.logs(name, 'postgresql');
    return log.includes('database system is shut down') ? { met: true } : { seen: log.slice(-500) };
  });
});
