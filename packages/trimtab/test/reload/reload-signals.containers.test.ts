import { currentEngine, type Engine } from '@trimtab/test-bed/engines/engine.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { haproxyAnswer, haproxyConf } from '../agent/support/apps.ts';
import { nginxConf } from '../agent/support/nginx-pod.ts';
import { RealReload } from './support/real-reload.ts';
import { ReloadedApp } from './support/reloaded-app.ts';
import { readAtSignal, servedText } from './support/served-text.ts';

/** The agent sends a signal to another container of its pod. */

let engine: Engine;
let real: RealReload;

beforeAll(async () => {
  engine = await currentEngine();
  await engine.loadProgramImage('nginx');
  await engine.loadProgramImage('haproxy');
  real = await RealReload.open(engine);
});
afterAll(async () => {
  await real?.[Symbol.asyncDispose]();
  await engine?.close();
});

const readinessProbe = { httpGet: { path: '/', port: 8080 }, periodSeconds: 1 };
const nodeApp = (signal: string) => servedText(engine, readAtSignal('/etc/foo/color', signal));

const nginx = {
  content: (text: string) => ({ 'nginx.conf': nginxConf(text, 8080) }),
  container: {
    image: 'nginx:1.22',
    command: ['nginx', '-c', '/etc/foo/nginx.conf', '-g', 'daemon off;'],
    readinessProbe,
  },
};

const haproxy = {
  content: (text: string) => ({ 'haproxy.cfg': haproxyConf(haproxyAnswer(text)) }),
  container: {
    image: 'haproxy:2.6',
    command: ['haproxy', '-W', '-db', '-f', '/etc/foo/haproxy.cfg'],
    readinessProbe,
  },
};

/** A server of files, which knows no signal for a reload. */
const fileServer = () => ({
  image: engine.images.busybox,
  command: ['httpd', '-f', '-p', '8080', '-h', '/etc/foo'],
  readinessProbe: { ...readinessProbe, httpGet: { path: '/index.html', port: 8080 } },
});

describe('in a namespace that enforces the restricted Pod Security Standard', () => {
  const noPrivileges = { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } };
  const as = (user: number) => ({
    securityContext: { runAsUser: user, runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
  });
  const start = (name: string, container: object, more: object) =>
    ReloadedApp.start(real, name, {
      containers: [{ ...container, securityContext: noPrivileges }],
      ...more,
    });

  beforeAll(async () => {
    const enforce = 'pod-security.kubernetes.io/enforce=restricted';
    await real.it.when.kubectl('label', 'namespace', real.it.namespace, enforce);
  });
  afterAll(async () => {
    const enforced = 'pod-security.kubernetes.io/enforce-';
    await real.it.when.kubectl('label', 'namespace', real.it.namespace, enforced);
  });

  test('SIGUSR1, the default, reaches an application of the same user', async () => {
    const app = await start('usr1', nodeApp('SIGUSR1'), { spec: as(1000) });
    expect(await app.agent()).toBe('1000');
    await app.reloads('green', '1.0.1');
  });

  test('SIGHUP reaches nginx of the same user', async () => {
    const { container, content } = nginx;
    const settings = { reload: 'signal:SIGHUP' };
    const app = await start('hup', container, { content, settings, spec: as(101) });
    expect(await app.agent()).toBe('101');
    await app.reloads('green', '1.0.1');
  });

  test('SIGUSR2 reaches HAProxy of the same user', async () => {
    const { container, content } = haproxy;
    const settings = { reload: 'signal:SIGUSR2' };
    const app = await start('usr2', container, { content, settings, spec: as(99) });
    await app.reloads('green', '1.0.1');
  });

  test('an agent that may not signal the user of an image is told what to do, and the old version stays', async () => {
    const { container, content } = haproxy;
    const spec = { securityContext: { ...as(0).securityContext, runAsUser: undefined } };
    const app = await start('unknown', container, { content, spec, settings: { reload: 'signal:SIGUSR2' } });
    expect(await app.agent()).toBe('65532');
    expect(await app.refuses('green')).toMatch(
      /user 65532 may not send SIGUSR2 to process \d+ \(haproxy\) of user 99/,
    );
    await app.serves('blue');
  });
});

describe('users that the spec of the pod does not name, or that differ', () => {
  test('the agent is root with the capability KILL only, and signals the root of an image', async () => {
    const { container, content } = nginx;
    const app = await ReloadedApp.start(real, 'root', {
      ...{ containers: [container], content, settings: { reload: 'signal:HUP' } },
    });
    expect(await app.agent()).toBe('0 ["KILL"]');
    await app.reloads('green', '1.0.1');
  });

  test('the agent signals containers of two users, each in its own way', async () => {
    const second = servedText(engine, `text = 'none'; ${readAtSignal('/etc/foo/color', 'SIGHUP')}`, 8081);
    const app = await ReloadedApp.start(real, 'two-users', {
      containers: [
        { ...nodeApp('SIGUSR2'), securityContext: { runAsUser: 1000 } },
        { ...second, securityContext: { runAsUser: 2000 } },
      ],
      settings: { reload: 'app=signal:SIGUSR2,other-1=signal:SIGHUP' },
    });
    expect(await app.agent()).toBe('0 ["KILL"]');
    await app.reloads('green', '1.0.1');
    await real.answers(`http://${app.pods[0]?.address}:8081/`, 'green');
  });
});

test('a process that does not handle the signal is not ended by it: the version is refused', async () => {
  const app = await ReloadedApp.start(real, 'deaf', {
    containers: [fileServer()],
    content: (text) => ({ 'index.html': text }),
    spec: { securityContext: { runAsUser: 1000 } },
  });
  expect(await app.refuses('green')).toMatch(/httpd?\) has no handler for SIGUSR1, which would end it/);
  await app.serves('blue');
});
