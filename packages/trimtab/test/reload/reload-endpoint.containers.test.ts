import { currentEngine, type Engine } from '@trimtab/test-bed/engines/engine.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { RealReload } from './support/real-reload.ts';
import { ReloadedApp } from './support/reloaded-app.ts';
import { readAtSignal, servedText } from './support/served-text.ts';

/** The in-pod endpoint, by curl from a container beside the application, and the tokens of two pods. */

let engine: Engine;
let real: RealReload;
let app: ReloadedApp;
let neighbour: ReloadedApp;

beforeAll(async () => {
  engine = await currentEngine();
  const image = await engine.loadProgramImage('curl');
  real = await RealReload.open(engine);
  const curl = { image, command: ['sleep', '3600'] };
  const start = (name: string, settings: object) =>
    ReloadedApp.start(real, name, {
      containers: [servedText(engine, readAtSignal('/etc/foo/color', 'SIGUSR1')), curl],
      settings: { reload: 'app=signal:SIGUSR1,other-1=pull', ...settings },
      mounts: {
        '/etc/foo': { configMap: { name } },
        '/identity': {
          projected: { sources: [{ serviceAccountToken: { path: 'token', audience: 'trimtab.dev' } }] },
        },
      },
    });
  app = await start('app', { configPort: '9002' });
  neighbour = await start('neighbour', {});
});
afterAll(async () => {
  await real?.[Symbol.asyncDispose]();
  await engine?.close();
});

const shell = (of: ReloadedApp, script: string) => of.exec('other-1', ['sh', '-c', script]);

/** The status and the body of a response. */
async function response(of: ReloadedApp, command: string): Promise<{ status: number; body: string }> {
  const text = await shell(of, `curl --silent --show-error --write-out '\\n%{http_code}' ${command}`);
  const end = text.lastIndexOf('\n');
  return { status: Number(text.slice(end)), body: text.slice(0, end) };
}

const withCertificate = '--cacert $MY_CONFIG_CA $MY_CONFIG_ENDPOINT';

describe('the endpoint of the pod', () => {
  test('answers with all entries, and with the name and version of the config', async () => {
    const command = `--cacert $MY_CONFIG_CA -H "Authorization: $MY_CONFIG_TOKEN" $MY_CONFIG_ENDPOINT`;
    const { status, body } = await response(app, command);
    expect(status).toBe(200);
    expect(JSON.parse(body)).toEqual({ color: 'blue', 'configmap/app': '1.0.0' });
  });

  test('is at the port of the annotation', async () => {
    const [pod] = app.pods;
    expect(await shell(app, 'echo -n $MY_CONFIG_ENDPOINT')).toBe(`https://${pod?.address}:9002/config`);
    const [other] = neighbour.pods;
    expect(await shell(neighbour, 'echo -n $MY_CONFIG_ENDPOINT')).toBe(
      `https://${other?.address}:9001/config`,
    );
  });

  test('has a token in the environment and in a file, and not in the spec of the pod', async () => {
    const token = await shell(app, 'echo -n $MY_CONFIG_TOKEN');
    expect(token.length).toBeGreaterThan(30);
    expect(await shell(app, 'cat $MY_CONFIG_TOKEN_FILE')).toBe(token);
    const spec = await real.it.when.kubectl('get', 'pod', app.pods[0]?.name ?? '', '-o', 'json');
    expect(spec).not.toContain(token);
    expect(await shell(neighbour, 'echo -n $MY_CONFIG_TOKEN')).not.toBe(token);
  });

  test.each([
    ['without a token', ''],
    ['with a wrong token', '-H "Authorization: Bearer wrong"'],
    ['with an empty token', '-H "Authorization: Bearer "'],
  ])('refuses requests %s', async (_, header) => {
    const { status, body } = await response(app, `${header} ${withCertificate}`);
    expect(status).toBe(401);
    expect(body).toContain('MY_CONFIG_TOKEN_FILE');
    expect(body).not.toContain('blue');
  });

  test('has its own certificate, which is not valid for another pod', async () => {
    const endpoint = `https://${neighbour.pods[0]?.address}:9001/config`;
    const mistaken = shell(app, `curl --silent --show-error --cacert $MY_CONFIG_CA ${endpoint}`);
    await expect(mistaken).rejects.toThrow('SSL certificate problem');
  });

  test('refuses another pod, even with the token', async () => {
    const token = await shell(app, 'echo -n $MY_CONFIG_TOKEN');
    const endpoint = await shell(app, 'echo -n $MY_CONFIG_ENDPOINT');
    const { status, body } = await response(neighbour, `--insecure -H "Authorization: ${token}" ${endpoint}`);
    expect(status).toBe(403);
    expect(body).not.toContain('blue');
  });

  test('keeps its private key where no other container reads it', async () => {
    expect(await shell(app, 'ls /var/run/trimtab')).toBe('public\n');
    expect(await shell(app, 'ls /var/run/trimtab/public')).toBe('ca.crt\ntoken\ntoken.env\n');
    expect(await shell(app, 'cat $MY_CONFIG_CA')).not.toContain('PRIVATE KEY');
  });

  test('answers with the new version after a change', async () => {
    await app.reloads('green', '1.0.1');
    const command = `-H "Authorization: Bearer $MY_CONFIG_TOKEN" ${withCertificate}`;
    expect(JSON.parse((await response(app, command)).body)).toEqual({
      color: 'green',
      'configmap/app': '1.0.1',
    });
  });
});

describe('the token that identifies a pod to the gateway', () => {
  const current = (config: string) =>
    `${real.gatewayUrl}/api/v1/namespaces/${real.it.namespace}/configmaps/${config}/current`;
  const read = (of: ReloadedApp, config: string) =>
    response(of, `--insecure -H "Authorization: Bearer $(cat /identity/token)" ${current(config)}`);

  test('reads the configs of its pod', async () => {
    const { status, body } = await read(neighbour, 'neighbour');
    expect(status).toBe(200);
    expect(JSON.parse(body).data).toEqual({ color: 'blue' });
  });

  test('is refused for the configs of another pod', async () => {
    const { status, body } = await read(neighbour, 'app');
    expect(status).toBe(403);
    expect(JSON.parse(body).message).toContain('references neither the ConfigMap "app" nor a version of it');
  });
});
