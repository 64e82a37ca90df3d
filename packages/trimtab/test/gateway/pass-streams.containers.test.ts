import { connect } from 'node:net';
import { currentEngine, type Engine } from '@trimtab/test-bed/engines/engine.ts';
import {
  type KubectlResult,
  kubectl,
  type RunningKubectl,
  startKubectl,
} from '@trimtab/test-bed/engines/kubectl.ts';
import { deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { runningScript } from '@trimtab/test-bed/objects/shell-app.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { GatewayScene } from './support/gateway-scene.ts';

/** Prints a line every 200 ms, and echoes what it receives on port 7000, where it accepts any number of connections. */
const script = `
  nc -ll -p 7000 -e cat &
  touch /tmp/ready
  n=0; while true; do n=$((n+1)); echo "line $n"; sleep 0.2; done
`;

let engine: Engine;
let gateway: GatewayScene;
let namespace: string;
let kubeconfig: string;
let bob: string;
const running: RunningKubectl[] = [];

beforeAll(async () => {
  engine = await currentEngine();
  gateway = await GatewayScene.startSecure(engine);
  namespace = await engine.namespace();
  await kubectl(engine, ['create', 'serviceaccount', 'alice'], { namespace });
  const binding = ['--clusterrole=edit', `--serviceaccount=${namespace}:alice`];
  await kubectl(engine, ['create', 'rolebinding', 'alice', ...binding], { namespace });
  kubeconfig = await engine.kubeconfigOf({ serviceAccount: 'alice', namespace }, gateway.address);
  await kubectl(engine, ['create', 'serviceaccount', 'bob'], { namespace });
  const viewing = ['--clusterrole=view', `--serviceaccount=${namespace}:bob`];
  await kubectl(engine, ['create', 'rolebinding', 'bob', ...viewing], { namespace });
  bob = await engine.kubeconfigOf({ serviceAccount: 'bob', namespace }, gateway.address);
  const web = JSON.stringify(deployment('web', runningScript(engine.images.busybox, script)));
  await waitFor('alice may create a Deployment', async () => {
    const { code, stderr } = await through(['apply', '--filename', '-'], web);
    return code === 0 ? { met: true } : { seen: stderr };
  });
  const { code, stderr } = await through(['rollout', 'status', 'deployment/web', '--timeout=60s']);
  expect(code, stderr).toBe(0);
});

afterEach(async () => {
  vi.unstubAllEnvs();
  for (const each of running.splice(0)) {
    each.stop();
    await each.ended;
  }
});

afterAll(async () => {
  await gateway?.close();
  await engine?.close();
});

function through(args: string[], stdin?: string): Promise<KubectlResult> {
  return kubectl(engine, args, {
    namespace,
    kubeconfig,
    timeoutMs: 60_000,
    ...(stdin !== undefined && { stdin }),
  });
}

function going(args: string[]): RunningKubectl {
  const started = startKubectl(engine, args, { namespace, kubeconfig });
  running.push(started);
  return started;
}

test('logs -f prints lines as they are written', async () => {
  const logs = going(['logs', '--follow', '--tail=1', 'deployment/web']);
  const seen = (line: number) =>
    waitFor('more lines', async () => {
      const lines = logs.stdout().split('\n').length - 1;
      return lines >= line ? { met: true } : { seen: `${lines} lines` };
    });
  await seen(1);
  await seen(4);
  expect(logs.stdout()).toMatch(/^(line \d+\n)+/);
});

describe.each([
  ['WebSocket', 'true', 'GET'],
  ['SPDY', 'false', 'POST'],
])('over %s', (_, webSockets, method) => {
  const choose = () => {
    vi.stubEnv('KUBECTL_REMOTE_COMMAND_WEBSOCKETS', webSockets);
    vi.stubEnv('KUBECTL_PORT_FORWARD_WEBSOCKETS', webSockets);
  };

  test('exec gives output, errors and the exit code', async () => {
    choose();
    const { stdout, stderr, code } = await through([
      'exec',
      'deployment/web',
      '--',
      'sh',
      '-c',
      'echo out; echo err >&2; exit 3',
    ]);
    expect([stdout, code]).toEqual(['out\n', 3]);
    expect(stderr).toContain('err\n');
    // The method shows which of the two protocols was used.
    expect(await gateway.metrics()).toMatch(new RegExp(`route="upgrade",method="${method}",code="101"`));
  });

  test('exec takes input, all of it', async () => {
    choose();
    const input = 'x'.repeat(2_000_000);
    const { stdout, stderr } = await through(['exec', '-i', 'deployment/web', '--', 'wc', '-c'], input);
    expect(stdout.trim(), stderr).toBe('2000000');
  });

  test('port-forward carries bytes to the pod and back', async () => {
    choose();
    const forward = going(['port-forward', 'deployment/web', ':7000']);
    const port = await waitFor('it forwards', async () => {
      const found = /127\.0\.0\.1:(\d+) -> 7000/.exec(forward.stdout())?.[1];
      return found === undefined ? { seen: forward.stdout() } : { met: Number(found) };
    });
    expect(await echoed(port, 'hello through the gateway')).toBe('hello through the gateway');
  });

  test('who may not exec gets the API server’s refusal', async () => {
    choose();
    const { stdout: pod } = await through(['get', 'pods', '-o', 'name']);
    const { stderr, code } = await kubectl(engine, ['exec', pod.trim(), '--', 'true'], {
      namespace,
      kubeconfig: bob,
    });
    expect([code, stderr]).toEqual([1, expect.stringMatching(/bob" cannot \w+ resource "pods\/exec"/)]);
  });
});

function echoed(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let seen = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    socket.setEncoding('utf8').on('data', (part) => {
      seen += part;
      if (seen.length >= text.length) socket.destroy();
    });
    socket.on('error', reject).on('close', () => resolve(seen));
  });
}
