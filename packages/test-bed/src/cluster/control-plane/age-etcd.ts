import type { Bed } from '../bed.ts';
import { BedError } from '../terminal/bed-error.ts';
import { call } from './api.ts';

const forgottenRevision = 20;

/**
 * Compacts the first revisions of a new etcd, as in every cluster that has been running for five minutes. Otherwise a
 * watch from resourceVersion 1 would succeed on a new bed, and tests would never get a 410 response.
 */
export async function ageEtcd(bed: Bed): Promise<void> {
  const key = Buffer.from('/bed/age').toString('base64');
  let revision = await revisionAfter(bed, '/v3/kv/range', { key });
  if (revision >= forgottenRevision) return;
  while (revision < forgottenRevision) revision = await revisionAfter(bed, '/v3/kv/put', { key, value: key });
  await post(bed, '/v3/kv/compaction', { revision: String(forgottenRevision) });
}

async function revisionAfter(bed: Bed, path: string, body: object): Promise<number> {
  const answer = JSON.parse(await post(bed, path, body)) as { header: { revision: string } };
  return Number(answer.header.revision);
}

async function post(bed: Bed, path: string, body: object): Promise<string> {
  const at = { host: '127.0.0.1', port: bed.state.ports.etcd, plain: true };
  const answer = await call(bed, { method: 'POST', path, body, at });
  if (answer.status !== 200)
    throw new BedError(`etcd responded to ${path} with status ${answer.status}`, [answer.body]);
  return answer.body;
}
