import { randomUUID } from 'node:crypto';
import { open, stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { KubeClient } from '@trimtab/kube/client.ts';

/** One finished request, as the API server recorded it. */
export interface AuditEntry {
  user: string;
  /** The administrator, when `user` was impersonated. */
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
  /** The mutating webhooks that were asked about it, whether they changed anything or not. */
  webhooks: string[];
  at: string;
}

/** A place in the log; only what was requested after it is read. */
type AuditMark = { offset: number };

export interface AuditLog {
  mark(): Promise<AuditMark>;
  since(mark: AuditMark): Promise<AuditEntry[]>;
}

/**
 * The log that a kube-apiserver writes, one JSON document for each line. The server writes an entry when it has
 * answered, so a reader can be early: both calls send a request of their own and read up to its entry.
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
  // Before the marker the file may be large (a mark starts at 0): only its tail can hold the marker.
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
  throw new Error(`The API server answered a request 5 s ago that is still not in its audit log ${file}.`);
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

/** The server notes each call under `…/round_0_index_0`, and a patch under another prefix. */
function webhooksOf(annotations: Record<string, string>): string[] {
  return Object.entries(annotations)
    .filter(([key]) => key.startsWith('mutation.webhook.admission.k8s.io/'))
    .map(([, value]) => (JSON.parse(value) as { webhook: string }).webhook);
}

/** Nothing for a line that is not a finished request. */
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
