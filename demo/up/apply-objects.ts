import { readFileSync } from 'node:fs';
import type { KubeClient } from '@trimtab/kube/client.ts';
import { errors, OperationalError } from '@trimtab/kube/errors.ts';
import type { Resource } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { parseAllDocuments } from 'yaml';

interface ApiResourceList {
  resources: { name: string; kind: string; namespaced: boolean }[];
}

const fieldManager = 'trimtab-up';

/** Applies objects in order by server-side apply. Force is set, so changes of other field managers are overwritten. */
export async function applyObjects(client: KubeClient, objects: readonly KubeObject[]): Promise<void> {
  const lists = new Map<string, Promise<ApiResourceList>>();
  for (const object of objects) {
    const resource = await resourceOf(client, object, lists);
    const { name = '', namespace = 'default' } = object.metadata;
    const where = { name, ...(resource.namespaced && { namespace }) };
    await client.patch(resource, where, { type: 'apply', body: object, force: true }, { fieldManager });
  }
}

/** Returns the objects of a YAML or JSON file; Lists are unpacked. */
export function objectsIn(file: string): KubeObject[] {
  const refuse = (problem: string) => {
    throw new OperationalError(errors.ConfigInvalid, `${file}: ${problem}`);
  };
  let text = '';
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    refuse(`cannot read the file (${(error as NodeJS.ErrnoException).code})`);
  }
  return parseAllDocuments(text).flatMap((document) => {
    const [error] = document.errors;
    if (error !== undefined) refuse(error.message);
    const value = document.toJS() as (KubeObject & { items?: KubeObject[] }) | null;
    if (value === null) return [];
    const objects = value.kind === 'List' ? (value.items ?? []) : [value];
    for (const { kind, apiVersion, metadata } of objects)
      if (!kind || !apiVersion || !metadata?.name)
        refuse('each object must have kind, apiVersion and metadata.name');
    return objects;
  });
}

async function resourceOf(
  client: KubeClient,
  { kind = '', apiVersion = '' }: KubeObject,
  lists: Map<string, Promise<ApiResourceList>>,
): Promise<Resource> {
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
  const path = group === '' ? `/api/${version}` : `/apis/${apiVersion}`;
  const known = lists.get(path) ?? client.raw<ApiResourceList>({ method: 'GET', path });
  lists.set(path, known);
  const { resources } = await known;
  const found = resources.find((each) => each.kind === kind && !each.name.includes('/'));
  if (found === undefined)
    throw new OperationalError(
      errors.ConfigInvalid,
      `the local cluster does not serve kind ${kind} in ${apiVersion}`,
    );
  return {
    group: group ?? '',
    version: version ?? '',
    plural: found.name,
    kind,
    namespaced: found.namespaced,
  };
}
