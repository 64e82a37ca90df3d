import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import type { KubeClient } from '@trimtab/kube/client.ts';
import type { Resource } from '@trimtab/kube/resource.ts';
import {
  bitString,
  objectIdentifier,
  sequence,
  setOf,
  tagged,
  unsignedInteger,
  utf8String,
} from '@trimtab/kube/tls/der.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { waitFor } from '../watching/wait-for.ts';

const signingRequests: Resource = {
  group: 'certificates.k8s.io',
  version: 'v1',
  plural: 'certificatesigningrequests',
  kind: 'CertificateSigningRequest',
  namespaced: false,
};

interface SigningRequest extends KubeObject {
  spec: object;
  status?: { certificate?: string; conditions?: object[] };
}

/** Requests a client certificate from the cluster and approves it, as `kubectl certificate approve` does. */
export async function clientCertificate(
  client: KubeClient,
  commonName: string,
  group?: string,
): Promise<{ cert: string; key: string }> {
  const { key, request } = certificateRequest(commonName, group);
  const name = `test-${randomBytes(5).toString('hex')}`;
  const created = await client.create<SigningRequest>(signingRequests, {
    metadata: { name },
    spec: {
      request: Buffer.from(request).toString('base64'),
      signerName: 'kubernetes.io/kube-apiserver-client',
      usages: ['client auth'],
    },
  });
  created.status = { conditions: [{ type: 'Approved', status: 'True', reason: 'Test' }] };
  await client.update(signingRequests, created, { subresource: 'approval' });
  const cert = await waitFor(`the cluster to sign the certificate of ${commonName}`, async () => {
    const { status } = await client.get<SigningRequest>(signingRequests, { name });
    return status?.certificate === undefined ? { seen: JSON.stringify(status) } : { met: status.certificate };
  });
  await client.delete(signingRequests, { name });
  return { cert: Buffer.from(cert, 'base64').toString(), key };
}

/** A PKCS #10 request (RFC 2986) for a new key on P-256. */
function certificateRequest(commonName: string, group?: string): { key: string; request: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const attribute = (type: string, value: string) =>
    setOf(sequence(objectIdentifier(type), utf8String(value)));
  const organization = group === undefined ? [] : [attribute('2.5.4.10', group)];
  const info = sequence(
    unsignedInteger(Buffer.from([0])),
    sequence(...organization, attribute('2.5.4.3', commonName)),
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0, 'constructed', Buffer.alloc(0)),
  );
  const ecdsaWithSha256 = sequence(objectIdentifier('1.2.840.10045.4.3.2'));
  const der = sequence(info, ecdsaWithSha256, bitString(sign('sha256', info, privateKey)));
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    request: `-----BEGIN CERTIFICATE REQUEST-----\n${der.toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`,
  };
}
