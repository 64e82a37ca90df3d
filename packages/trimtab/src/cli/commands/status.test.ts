import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { runTrimtab } from '../../../test/cli/support/run-trimtab.ts';

test('in a cluster without Trimtab all release commands say how to install it', async () => {
  const server = createServer((_, response) => {
    response.writeHead(404, { 'content-type': 'text/plain' }).end('404 page not found\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    for (const args of [
      ['status'],
      ['status', '-w'],
      ['status', 'foo'],
      ['activate', 'foo', '1.0.1'],
      ['pause', 'foo'],
    ]) {
      expect(
        await runTrimtab({ kubeconfig: '' }, [...args, '-s', url, '-n', 'shop'], { env: { HOME: '/none' } }),
      ).toEqual({
        code: 1,
        stdout: '',
        stderr:
          'error: Trimtab is not installed in this cluster: the API server does not serve trimtab.dev/v1alpha1\n' +
          'hint: install it with `trimtab manifests | kubectl apply -f -`, and run `trimtab controller`\n',
      });
    }
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
});
