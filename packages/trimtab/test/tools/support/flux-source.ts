import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { KubeClient } from '@trimtab/kube/client.ts';
import type { Resource } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { tar } from '@trimtab/test-bed/cluster/images/tar.ts';

const gitRepositories: Resource = {
  group: 'source.toolkit.fluxcd.io',
  version: 'v1',
  plural: 'gitrepositories',
  kind: 'GitRepository',
  namespaced: true,
};

/**
 * A GitRepository whose artifacts come from this process: what source-controller does after a commit. Flux downloads
 * each artifact and verifies its digest.
 */
export class FluxSource implements AsyncDisposable {
  readonly #client: KubeClient;
  readonly #where: { namespace: string; name: string };
  readonly #server: Server;
  readonly #archives: Map<string, Buffer>;

  private constructor(
    client: KubeClient,
    where: { namespace: string; name: string },
    server: Server,
    archives: Map<string, Buffer>,
  ) {
    this.#client = client;
    this.#where = where;
    this.#server = server;
    this.#archives = archives;
  }

  static async open(client: KubeClient, where: { namespace: string; name: string }): Promise<FluxSource> {
    const archives = new Map<string, Buffer>();
    const server = createServer(({ url = '' }, response) => {
      const archive = archives.get(url);
      response.writeHead(archive === undefined ? 404 : 200).end(archive);
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    await client.create<KubeObject & { spec: unknown }>(gitRepositories, {
      apiVersion: 'source.toolkit.fluxcd.io/v1',
      kind: 'GitRepository',
      metadata: where,
      spec: { interval: '1h', url: 'https://git.example/shop.git' },
    });
    return new FluxSource(client, where, server, archives);
  }

  /** Publishes a commit with these files. Returns its revision. */
  async publish(files: ReadonlyMap<string, string>): Promise<string> {
    const archive = await archiveOf(files);
    const digest = createHash('sha256').update(archive).digest('hex');
    // The count is part of the commit: reverting to old content is a new revision.
    const commit = createHash('sha1').update(`${this.#archives.size} ${digest}`).digest('hex');
    const path = `/${commit}.tar.gz`;
    this.#archives.set(path, archive);
    const { port } = this.#server.address() as AddressInfo;
    const revision = `main@sha1:${commit}`;
    const artifact = {
      path: path.slice(1),
      url: `http://127.0.0.1:${port}${path}`,
      revision,
      digest: `sha256:${digest}`,
      size: archive.length,
      lastUpdateTime: new Date().toISOString(),
    };
    const patch = { type: 'merge', body: { status: { artifact } } } as const;
    await this.#client.patch(gitRepositories, this.#where, patch, { subresource: 'status' });
    return revision;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

async function archiveOf(files: ReadonlyMap<string, string>): Promise<Buffer> {
  const entries = [...files].map(([path, text]) => ({
    type: 'file' as const,
    path,
    mode: 0o644,
    content: Buffer.from(text),
  }));
  const blocks: Buffer[] = [];
  for await (const block of tar(entries)) blocks.push(block);
  return gzipSync(Buffer.concat(blocks));
}
