import { text } from 'node:stream/consumers';
import type { TlsSettings } from '../src/access.ts';
import { createLogger } from '../src/log/log.ts';
import { listAll } from '../src/paging.ts';
import { configMaps } from '../src/resource.ts';
import { isAlreadyExists, isConflict, isNotFound, NetworkError } from '../src/transport/errors.ts';
import { httpClient } from '../src/transport/http-client.ts';
import type { KubeObject, WatchEvent } from '../src/wire.ts';

/**
 * Runs the parts of this package that the agent uses, under Bun. Reads the cluster's address and credentials from
 * standard input, because src/identity does not support Bun. Prints the results as one JSON document.
 */
interface Input {
  server: string;
  namespace: string;
  ca: string;
  cert: string;
  key: string;
}

type ConfigMap = KubeObject & { data?: Record<string, string> };

const input: Input = JSON.parse(await text(process.stdin));
const { namespace } = input;
const key = { namespace, name: 'from-bun' };

function clientFor(server: string, tls: TlsSettings) {
  return httpClient({
    access: { server, namespace, tls: async () => tls, headers: async () => ({}), invalidate() {} },
    log: createLogger({ program: 'bun-program', level: 'silent' }),
  });
}

const client = clientFor(input.server, { ca: input.ca, cert: input.cert, key: input.key });

const { resourceVersion = '' } = (await client.list(configMaps, { namespace })).metadata;
const stop = new AbortController();
const labelSelector = 'made-by=bun';
const stream = await client.watch(configMaps, {
  namespace,
  labelSelector,
  resourceVersion,
  timeoutSeconds: 60,
  signal: stop.signal,
});

const object: ConfigMap = { metadata: { ...key, labels: { 'made-by': 'bun' } }, data: { text: 'Zürich 🚢' } };
const created = await client.create(configMaps, object);
const again = await client.create(configMaps, object).catch((error: unknown) => error);
await client.update(configMaps, { ...created, data: { text: 'x'.repeat(500_000) } });
const stale = await client.update(configMaps, created).catch((error: unknown) => error);
const read = await client.get<ConfigMap>(configMaps, key);
const partial = await client.get<ConfigMap>(configMaps, key, { projection: 'metadata' });
const names: (string | undefined)[] = [];
for await (const page of listAll(client, configMaps, { namespace, limit: 1 })) {
  if (page.type === 'page') names.push(...page.items.map((item) => item.metadata.name));
}
await client.delete(configMaps, key);
const missing = await client.get(configMaps, key).catch((error: unknown) => error);

const watched: string[] = [];
for await (const event of stream.events) {
  const { type } = event as WatchEvent;
  if (type !== 'BOOKMARK') watched.push(type);
  if (type === 'DELETED') break;
}
const burst = await Promise.all(
  Array.from({ length: 200 }, () => client.list(configMaps, { namespace, limit: 1 })),
);
client.close();

/** Returns the failure of a first request with the given settings. */
async function failure(server: string, tls: TlsSettings): Promise<string> {
  const stranger = clientFor(server, tls);
  const error: unknown = await stranger.get(configMaps, key).catch((reason: unknown) => reason);
  stranger.close();
  return error instanceof NetworkError ? `${error.code}, sent: ${error.sent}` : String(error);
}

const refused = await failure('https://127.0.0.1:1', {});
const untrusted = await failure(input.server, {});
const otherName = await failure(input.server, { ca: input.ca, servername: 'other.example' });

console.log(
  JSON.stringify({
    runtime: process.versions['bun'] === undefined ? 'not Bun' : 'Bun',
    created: created.data,
    again: isAlreadyExists(again),
    conflict: isConflict(stale),
    read: read.data?.['text']?.length,
    partial: { kind: partial.kind, data: partial.data ?? 'none' },
    listed: names.includes('from-bun'),
    missing: isNotFound(missing),
    watched,
    burst: burst.length,
    refused,
    untrusted,
    otherName,
  }),
);
