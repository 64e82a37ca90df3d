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

/** Connects to the kubelets at the address in the Node's status, authenticated as the API server. */
export class Kubelets {
  readonly #storage: ObjectStorage;
  readonly #authority: string;
  readonly #identity: CertificateAndKey;

  constructor(storage: ObjectStorage, authority: string, identity: CertificateAndKey) {
    this.#storage = storage;
    this.#authority = authority;
    this.#identity = identity;
  }

  /** Creates a request to the kubelet of the pod's node without sending it. Throws a StatusError. */
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
      // The certificate of a kubelet is issued for the name of its node, not for its address.
      servername: nodeName,
      agent: false,
    });
  }
}

/** Returns the error text of a kubelet's response, which the API server forwards. */
export async function refusalOf(answer: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of answer) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8').slice(0, 4096).trim();
}
