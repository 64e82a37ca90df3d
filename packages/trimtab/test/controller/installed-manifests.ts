import { configMaps } from '@trimtab/kube/resource.ts';
import { ApiError } from '@trimtab/kube/transport/errors.ts';
import type { KubeObject, OwnerReference } from '@trimtab/kube/wire.ts';
import type { Engine } from '@trimtab/test-bed/engines/engine.ts';
import { type ConfigMap, configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { applyObjects, removeObjects } from '@trimtab/test-bed/story/apply-objects.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { parseAllDocuments } from 'yaml';
import { configRollouts } from '../../src/api/config-rollout.ts';
import { annotations, labels, systemNamespace } from '../../src/api/names.ts';
import {
  installation,
  type ManifestOptions,
  serviceAccountName,
} from '../../src/controller/manifests/installation.ts';
import { printManifests } from '../../src/controller/manifests/print-manifests.ts';

/** The ServiceAccount of the controller. */
export const controllerIdentity = { serviceAccount: serviceAccountName, namespace: systemNamespace };

export function manifestObjects(options: ManifestOptions): KubeObject[] {
  return parseAllDocuments(printManifests(options)).map((document) => document.toJS());
}

/** An installation of a test manages one namespace. */
type OneNamespace = Omit<ManifestOptions, 'namespaces'> & { namespace: string };

/** Applies the output of `trimtab manifests` for one namespace, so test files do not interfere with each other. */
export async function installFor(engine: Engine, { namespace, ...more }: OneNamespace): Promise<void> {
  const options: ManifestOptions = { ...more, namespaces: [namespace] };
  const client = await engine.connect();
  const { prefix } = installation(options);
  // The API server learns policies in the order in which they were made, so the probed one, made last, speaks for all.
  const isProbed = ({ metadata }: KubeObject) => metadata.name === `${prefix}-versions`;
  const objects = manifestObjects(options);
  await applyObjects(client, [...objects.filter((object) => !isProbed(object)), ...objects.filter(isProbed)]);
  await waitFor('the guard of versions works', async () => {
    const refusal = await refusalOf(
      client.create(configMaps, version('probe', namespace, { config: '' }), { dryRun: true }),
    );
    return refusal?.includes(`${prefix}-versions`) ? { met: true } : { seen: refusal ?? 'admitted' };
  });
  await waitFor('the kind ConfigRollout is served', async () => {
    await client.list(configRollouts, { namespace });
    return { met: true };
  });
}

/** Deletes the objects of this installation. The CRD and the controller's ServiceAccount are shared and stay. */
export async function uninstallFor(engine: Engine, { namespace, ...more }: OneNamespace): Promise<void> {
  const options: ManifestOptions = { ...more, namespaces: [namespace] };
  const { prefix } = installation(options);
  const own = manifestObjects(options).filter(({ metadata }) => metadata.name?.startsWith(prefix));
  await removeObjects(await engine.connect(), own);
}

/** Returns the message of a 403 or 422 response; undefined on success. Other errors are thrown. */
export async function refusalOf(request: Promise<unknown>): Promise<string | undefined> {
  try {
    await request;
    return undefined;
  } catch (error) {
    if (error instanceof ApiError && (error.status === 403 || error.status === 422)) return error.message;
    throw error;
  }
}

export interface VersionShape {
  config?: string;
  rolloutUid?: string;
  state?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
}

/** Returns a version with the metadata that the controller writes. */
export function version(name: string, namespace: string, shape: VersionShape = {}): ConfigMap {
  const { config = 'foo', rolloutUid = 'some-uid', state = 'not-current' } = shape;
  const object = configMap(name, { color: 'blue' });
  object.immutable = true;
  object.metadata = {
    name,
    namespace,
    labels: {
      [labels.config]: config,
      [labels.versionOf]: rolloutUid,
      [labels.state]: state,
      ...shape.labels,
    },
    annotations: {
      [annotations.config]: config,
      [annotations.version]: name,
      [annotations.sequence]: '1',
      [annotations.contentHash]: 'abc',
      ...shape.annotations,
    },
    ...(shape.ownerReferences && { ownerReferences: shape.ownerReferences }),
  };
  return object;
}

export interface Rollout extends KubeObject {
  spec: { config: { kind: string; name: string }; release?: string; version?: string };
}

export function rollout(kind: 'ConfigMap' | 'Secret', name: string, namespace: string): Rollout {
  const { group, version: apiVersion, kind: rolloutKind } = configRollouts;
  return {
    apiVersion: `${group}/${apiVersion}`,
    kind: rolloutKind,
    metadata: { name: `${kind.toLowerCase()}-${name}`, namespace },
    spec: { config: { kind, name } },
  };
}

export function patchOf(metadata: object): { type: 'merge'; body: unknown } {
  return { type: 'merge', body: { metadata } };
}
