import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders } from 'node:http';
import { request } from 'node:https';
import type { CertificateAndKey } from '@trimtab/kube/tls/authority.ts';
import { badRequest, internalError } from '../errors/status-error.ts';
import { node } from '../kinds/core/node.ts';
import type { Pod } from '../kinds/core/pod-types.ts';
import type { ApiObject } from '../object.ts';
import type { ObjectStorage } from '../storage/object-storage.ts';

interface Node extends ApiObject {
  status: {
    addresses?: { type: string; address: string }[];
    daemonEndpoints?: { kubeletEndpoint?: { Port?: number } };
  };
}

/** How the API server reaches the kubelets of its nodes: at the address that their Node tells, as itself. */
export class Kubelets {
  readonly #storage: ObjectStorage;
  readonly #authority: string;
  readonly #identity: CertificateAndKey;

  constructor(storage: ObjectStorage, authority: string, identity: CertificateAndKey) {
    this.#storage = storage;
    this.#authority = authority;
    this.#identity = identity;
  }

  /** A request to the kubelet of the pod's node, not yet sent. Throws a StatusError. */
  request({ metadata, spec }: Pod, path: string, headers: OutgoingHttpHeaders = {}): ClientRequest {
    const { nodeName = '' } = spec;
    if (nodeName === '') throw badRequest(`pod ${metadata.name} does not have a host assigned`);
    const found = this.#storage.get(node, undefined, nodeName)?.object as Node | undefined;
    const host = found?.status.addresses?.find(({ type }) => type === 'InternalIP')?.address;
    const port = found?.status.daemonEndpoints?.kubeletEndpoint?.Port;
    if (host === undefined || port === undefined)
      throw internalError(`no preferred addresses found; known addresses: []`);
    return request({
      host,
      port,
      path,
      headers,
      ca: this.#authority,
      cert: this.#identity.certificate,
      key: this.#identity.key,
      // Its certificate is for the node, whatever address it has.
      servername: nodeName,
      agent: false,
    });
  }
}

/** What a kubelet says that it did not do, as the API server passes it on. */
export async function refusalOf(answer: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of answer) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8').slice(0, 4096).trim();
}
