import { apiVersionOf, type Kind } from '../kinds/kind.ts';
import { subresourcesOf } from '../verbs/subresources.ts';

type Paths = Record<string, object>;

const actions: Record<string, { method: string; action: string }> = {
  get: { method: 'get', action: 'get' },
  list: { method: 'get', action: 'list' },
  create: { method: 'post', action: 'post' },
  update: { method: 'put', action: 'put' },
  patch: { method: 'patch', action: 'patch' },
  delete: { method: 'delete', action: 'delete' },
  deletecollection: { method: 'delete', action: 'deletecollection' },
};

/** Query parameters whose support clients check before they use them. */
const writeParameters = ['dryRun', 'fieldManager', 'fieldValidation'].map(parameter);
const patchTypes = [
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
];

/** Paths of a kind with their operations, in enough detail for clients to find out what a kind supports. */
export function kindPaths(kind: Kind): Paths {
  const root = `${kind.group === '' ? '/api' : '/apis'}/${apiVersionOf(kind)}`;
  const collection = kind.namespaced
    ? `${root}/namespaces/{namespace}/${kind.plural}`
    : `${root}/${kind.plural}`;
  const has = (verb: string) => kind.verbs.includes(verb);
  const operations = (verbs: string[]) =>
    Object.assign({}, ...verbs.filter(has).map((verb) => operation(kind, verb))) as object;
  const paths: Paths = {
    [collection]: operations(['list', 'create', 'deletecollection']),
    [`${collection}/{name}`]: operations(['get', 'update', 'patch', 'delete']),
  };
  if (kind.namespaced && has('list')) paths[`${root}/${kind.plural}`] = operation(kind, 'list');
  for (const { name, verbs } of subresourcesOf(kind))
    paths[`${collection}/{name}/${name}`] = Object.assign(
      {},
      ...verbs.map((verb) => operation(kind, verb)),
    ) as object;
  return paths;
}

function operation(kind: Kind, verb: string): object {
  const known = actions[verb];
  if (known === undefined) return {};
  const { method, action } = known;
  const schema = { $ref: `#/components/schemas/${kind.codec.definition}` };
  const isWrite = ['create', 'update', 'patch'].includes(verb);
  const content = verb === 'patch' ? patchTypes : ['application/json', 'application/yaml'];
  const bodySchema = verb === 'patch' ? { type: 'object' } : schema;
  return {
    [method]: {
      tags: [kind.group === '' ? 'core_v1' : `${kind.group.split('.')[0]}_${kind.version}`],
      ...(isWrite && {
        parameters: writeParameters,
        requestBody: { content: Object.fromEntries(content.map((type) => [type, { schema: bodySchema }])) },
      }),
      responses: { 200: { description: 'OK', content: { 'application/json': { schema } } } },
      'x-kubernetes-action': action,
      'x-kubernetes-group-version-kind': { group: kind.group, version: kind.version, kind: kind.kind },
    },
  };
}

function parameter(name: string): object {
  return { name, in: 'query', schema: { type: 'string', uniqueItems: true } };
}
