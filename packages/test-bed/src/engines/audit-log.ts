import { randomUUID } from 'node:crypto';
import { open, stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { KubeClient } from '@trimtab/kube/client.ts';

/** One completed request in the audit log of the API server. */
export interface AuditEntry {
  user: string;
  /** The authenticated user, when `user` is impersonated. */
  impersonatedBy?: string;
  userAgent: string;
  verb: string;
  group: string;
  resource: string;
  subresource?: string;
  namespace?: string;
  name?: string;
  code: number;
  dryRun: boolean;
  /** The mutating webhooks that were called, whether or not they changed the object. */
  webhooks: string[];
  at: string;
}

/** A position in the log. Only later requests are read. */
type AuditMark = { offset: number };

export interface AuditLog {
  mark(): Promise<AuditMark>;
  since(mark: AuditMark): Promise<AuditEntry[]>;
}

/**
 * The audit log of a kube-apiserver, one JSON document per line. The server writes an entry after it has sent the
 * response, so a reader can be too early. Both methods therefore send a marker request and read up to its entry.
 */
export function auditLogFile(file: string, client: KubeClient): AuditLog {
  return {
    mark: async () => ({ offset: (await readUpToNow(file, 0, client)).end }),
    async since(mark) {
      const { lines } = await readUpToNow(file, mark.offset, client);
      return lines.flatMap(parseAuditLine);
    },
  };
}

async function readUpToNow(
  file: string,
  offset: number,
  client: KubeClient,
): Promise<{ lines: string[]; end: number }> {
  const marker = `audit-mark-${randomUUID()}`;
  await client.raw({
    method: 'POST',
    path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
    query: { fieldManager: marker },
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
  });
  // A mark reads from offset 0, and the file may be large. Only its tail can contain the marker.
  const from = offset === 0 ? Math.max(0, (await sizeOf(file)) - 4_000_000) : offset;
  for (let attempt = 0; attempt < 200; attempt++) {
    const text = await readFrom(file, from);
    const found = text.indexOf(marker);
    const lineEnd = found < 0 ? -1 : text.indexOf('\n', found);
    if (lineEnd >= 0) {
      const seen = text.slice(0, lineEnd + 1);
      const lines = seen.split('\n').filter((line) => line !== '' && !line.includes('audit-mark-'));
      return { lines, end: from + Buffer.byteLength(seen) };
    }
    await delay(25);
  }
  throw new Error(`Audit log ${file} does not contain a request that the API server answered 5 s ago`);
}

async function sizeOf(file: string): Promise<number> {
  return (await stat(file)).size;
}

async function readFrom(file: string, offset: number): Promise<string> {
  const handle = await open(file, 'r');
  try {
    const { size } = await handle.stat();
    const buffer = Buffer.alloc(Math.max(0, size - offset));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, offset);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await handle.close();
  }
}

interface RawAuditEntry {
  stage?: string;
  verb?: string;
  requestURI?: string;
  user?: { username?: string };
  impersonatedUser?: { username?: string };
  userAgent?: string;
  objectRef?: {
    resource?: string;
    namespace?: string;
    name?: string;
    apiGroup?: string;
    subresource?: string;
  };
  responseStatus?: { code?: number };
  annotations?: Record<string, string>;
  requestReceivedTimestamp?: string;
}

/** The server annotates each webhook call as `…/round_0_index_0`, and each patch under another prefix. */
function webhooksOf(annotations: Record<string, string>): string[] {
  return Object.entries(annotations)
    .filter(([key]) => key.startsWith('mutation.webhook.admission.k8s.io/'))
    .map(([, value]) => (JSON.parse(value) as { webhook: string }).webhook);
}

/** Returns an empty list for a line that is not a completed request. */
export function parseAuditLine(line: string): AuditEntry[] {
  const raw: RawAuditEntry = JSON.parse(line);
  if (raw.stage !== 'ResponseComplete' && raw.stage !== 'Panic') return [];
  const ref = raw.objectRef ?? {};
  const entry: AuditEntry = {
    user: raw.impersonatedUser?.username ?? raw.user?.username ?? '',
    userAgent: raw.userAgent ?? '',
    verb: raw.verb ?? '',
    group: ref.apiGroup ?? '',
    resource: ref.resource ?? '',
    code: raw.responseStatus?.code ?? 0,
    dryRun: /[?&]dryRun=/.test(raw.requestURI ?? ''),
    webhooks: webhooksOf(raw.annotations ?? {}),
    at: raw.requestReceivedTimestamp ?? '',
  };
  if (raw.impersonatedUser && raw.user?.username !== undefined) entry.impersonatedBy = raw.user.username;
  if (ref.subresource !== undefined) entry.subresource = ref.subresource;
  if (ref.namespace !== undefined) entry.namespace = ref.namespace;
  if (ref.name !== undefined) entry.name = ref.name;
  return [entry];
}
