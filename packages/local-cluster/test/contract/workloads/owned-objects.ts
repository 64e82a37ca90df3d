import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import type { ObjectBody } from '../api/http.ts';
import type { Target } from '../api/target.ts';

export interface Ownership {
  blockOwnerDeletion?: boolean;
  controller?: boolean;
}

/** An owner reference to an object that the server returned. */
export function ownerOf({ apiVersion, kind, metadata }: ObjectBody, more: Ownership = {}) {
  return { apiVersion, kind, name: metadata.name, uid: metadata.uid, ...more };
}

/** Creates a ConfigMap in the namespace of the area. */
export async function make(target: Target, name: string, metadata: object = {}): Promise<ObjectBody> {
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata } };
  return makeAt(target, target.core('configmaps'), body);
}

export async function makeAt({ api }: Target, path: string, object: unknown): Promise<ObjectBody> {
  const { code, text, body } = await api.post(path, object);
  if (code !== 201) throw new Error(`POST ${path}: ${code} ${text}`);
  return body;
}

export async function read({ api, core }: Target, name: string): Promise<ObjectBody> {
  const { code, text, body } = await api.get(core(`configmaps/${name}`));
  if (code !== 200) throw new Error(`${name}: ${code} ${text}`);
  return body;
}

export function goneAt({ api }: Target, path: string, timeoutMs = 60_000): Promise<boolean> {
  return waitFor(
    `${path} is gone`,
    async () => {
      const { code, text } = await api.get(path);
      return code === 404 ? { met: true } : { seen: text.slice(0, 600) };
    },
    { timeoutMs },
  );
}

export function gone(target: Target, name: string, timeoutMs?: number): Promise<boolean> {
  return goneAt(target, target.core(`configmaps/${name}`), timeoutMs);
}

/** Waits until the object satisfies the predicate and returns it. */
export function becomes(
  target: Target,
  name: string,
  what: string,
  holds: (metadata: ObjectBody['metadata']) => boolean,
): Promise<ObjectBody> {
  return waitFor(`${name} ${what}`, async () => {
    const { body, text } = await target.api.get(target.core(`configmaps/${name}`));
    return body.kind === 'ConfigMap' && holds(body.metadata) ? { met: body } : { seen: text.slice(0, 600) };
  });
}

export type Policy = 'Background' | 'Foreground' | 'Orphan';

export async function remove(target: Target, name: string, propagationPolicy: Policy): Promise<void> {
  await target.api.delete(target.core(`configmaps/${name}`), {
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    propagationPolicy,
  });
}

/** Removes all finalizers. */
export async function letGo({ api, core }: Target, name: string): Promise<void> {
  await api.patch(core(`configmaps/${name}`), 'merge', { metadata: { finalizers: null } });
}

/**
 * Resolves when the garbage collector has processed a change made after those of the case. Objects that still exist
 * then are kept.
 */
export async function collectorHasLooked(target: Target, marker: string): Promise<void> {
  const owner = await make(target, `${marker}-owner`);
  await make(target, marker, { ownerReferences: [ownerOf(owner)] });
  await remove(target, `${marker}-owner`, 'Background');
  await gone(target, marker);
}
