import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Engine } from '@trimtab/test-bed/engines/engine.ts';
import { FaultProxy } from '@trimtab/test-bed/fault-proxy/server.ts';

/** The answer of an API server to a path of a group that it does not serve. */
const unknownGroup = { code: 404, type: 'text/plain; charset=utf-8', body: '404 page not found\n' };

export interface ClusterWithoutTrimtab extends AsyncDisposable {
  url: string;
}

/** The cluster of an engine without the group of Trimtab: other tests share the cluster, so the CRD stays installed. */
export async function clusterWithoutTrimtab(engine: Engine): Promise<ClusterWithoutTrimtab> {
  const upstream = await FaultProxy.start({ access: await engine.access() });
  const server = createServer((incoming, response) => {
    if (incoming.url?.startsWith('/apis/trimtab.dev')) {
      response.writeHead(unknownGroup.code, { 'content-type': unknownGroup.type }).end(unknownGroup.body);
      return;
    }
    const { method, headers, url } = incoming;
    const forwarded = request(`${upstream.url}${url}`, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    // A command that fails ends its other requests.
    forwarded.on('error', () => response.destroy());
    response.on('close', () => forwarded.destroy());
    incoming.pipe(forwarded);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await upstream.close();
    },
  };
}
