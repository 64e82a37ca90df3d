import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { KubeClient } from '@trimtab/kube/client.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { serverCertificate } from '@trimtab/test-bed/fault-proxy/server-certificate.ts';
import { applyObjects, removeObjects } from '@trimtab/test-bed/story/apply-objects.ts';

interface Review {
  request: { uid: string; object: { spec: { containers: { name: string }[] } } };
}

/** The mutating webhook of another product, which adds a container to all pods of a namespace. */
export class OtherInjector implements AsyncDisposable {
  readonly #container: { name: string };
  readonly #client: KubeClient;
  readonly #server: Server;
  #configuration: KubeObject | undefined;

  private constructor(client: KubeClient, container: { name: string }, tls: { cert: string; key: string }) {
    this.#client = client;
    this.#container = container;
    this.#server = createServer(tls, (request, response) => void this.#handle(request, response));
  }

  /** API servers call webhooks in the order of the names of their configurations. */
  static async start(
    client: KubeClient,
    { name, namespace, container }: { name: string; namespace: string; container: { name: string } },
  ): Promise<OtherInjector> {
    const { authority, ...tls } = serverCertificate();
    const injector = new OtherInjector(client, container, tls);
    await once(injector.#server.listen(0, '127.0.0.1'), 'listening');
    const { port } = injector.#server.address() as AddressInfo;
    injector.#configuration = {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'MutatingWebhookConfiguration',
      metadata: { name: `${name}-${namespace}` },
      webhooks: [
        {
          name: 'pods.other.example',
          clientConfig: {
            url: `https://127.0.0.1:${port}/`,
            caBundle: Buffer.from(authority).toString('base64'),
          },
          rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], operations: ['CREATE'] }],
          namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } },
          admissionReviewVersions: ['v1'],
          sideEffects: 'None',
        },
      ],
    } as KubeObject;
    await applyObjects(client, [injector.#configuration]);
    return injector;
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    const { uid, object } = (JSON.parse(body) as Review).request;
    const isThere = object.spec.containers.some(({ name }) => name === this.#container.name);
    const patch = isThere ? [] : [{ op: 'add', path: '/spec/containers/-', value: this.#container }];
    const answer = {
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      response: {
        ...{ uid, allowed: true, patchType: 'JSONPatch' },
        patch: Buffer.from(JSON.stringify(patch)).toString('base64'),
      },
    };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#configuration !== undefined) await removeObjects(this.#client, [this.#configuration]);
    this.#server.close();
    this.#server.closeAllConnections();
  }
}
