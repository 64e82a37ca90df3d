import { createHash } from 'node:crypto';
import type { Pod, ProjectedSource, Volume } from '../../objects/pod.ts';
import { type ConfigKind, notFound, type ReadConfig } from '../configs/read-config.ts';
import { configPayload, downwardPayload, type Payload, usualMode } from './payload.ts';

export interface PayloadSources {
  pod: Pod;
  allocatable: Record<string, string>;
  read: ReadConfig;
  token(source: { audience?: string; expirationSeconds?: number }): Promise<string>;
}

/** Desired files of a volume; undefined for volumes that the containers fill themselves. */
export async function volumePayload(
  { configMap, secret, downwardAPI, projected }: Volume,
  sources: PayloadSources,
): Promise<Payload | undefined> {
  if (configMap !== undefined) return fromConfig('configmap', configMap, configMap.defaultMode, sources);
  if (secret !== undefined) {
    const { secretName: name, ...rest } = secret;
    return fromConfig(
      'secret',
      { ...rest, ...(name !== undefined && { name }) },
      secret.defaultMode,
      sources,
    );
  }
  if (downwardAPI !== undefined)
    return downwardPayload(downwardAPI.items ?? [], sources, downwardAPI.defaultMode ?? usualMode);
  if (projected !== undefined)
    return fromAll(projected.sources ?? [], projected.defaultMode ?? usualMode, sources);
  return undefined;
}

/** Payloads with equal digests hold the same files. */
export function digestOf(payload: Payload): string {
  const hash = createHash('sha256');
  for (const [where, { data, mode }] of payload)
    hash.update(JSON.stringify([where, mode, data.length])).update(data);
  return hash.digest('base64');
}

async function fromConfig(
  kind: ConfigKind,
  source: NonNullable<ProjectedSource['configMap']>,
  defaultMode: number = usualMode,
  { pod, read }: PayloadSources,
): Promise<Payload> {
  const { name = '', optional = false } = source;
  const config = await read(kind, pod.metadata.namespace ?? '', name);
  if (config === undefined && !optional) throw notFound(kind, name);
  return configPayload(kind, source, config, defaultMode);
}

/** A later source wins when two have the same path. Errors of all sources are reported together. */
async function fromAll(
  projections: readonly ProjectedSource[],
  defaultMode: number,
  sources: PayloadSources,
): Promise<Payload> {
  const results = await Promise.allSettled(
    projections.map((projection) => fromProjection(projection, defaultMode, sources)),
  );
  const errors = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  if (errors.length > 0) throw new AggregateError(errors);
  return new Map(results.flatMap((result) => (result.status === 'fulfilled' ? [...result.value] : [])));
}

async function fromProjection(
  { configMap, secret, downwardAPI, serviceAccountToken }: ProjectedSource,
  defaultMode: number,
  sources: PayloadSources,
): Promise<Payload> {
  if (secret !== undefined) return fromConfig('secret', secret, defaultMode, sources);
  if (configMap !== undefined) return fromConfig('configmap', configMap, defaultMode, sources);
  if (downwardAPI !== undefined) return downwardPayload(downwardAPI.items ?? [], sources, defaultMode);
  if (serviceAccountToken === undefined) return new Map();
  const data = Buffer.from(await sources.token(serviceAccountToken));
  return new Map([[serviceAccountToken.path, { data, mode: defaultMode }]]);
}
