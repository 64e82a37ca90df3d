import { cel } from './guard.ts';

/** Where a pod or pod template names configs. */
export interface Places {
  /** CEL expression of the pod spec. */
  spec: string;
  /** JSON pointer to the pod spec. */
  path: string;
  /** The lists of containers. */
  containers: readonly string[];
  /** False for a request that cannot change volumes; optional, defaults to true. */
  volumes?: boolean;
}

/** A field that names a config, below the item of a list. */
interface NameField {
  kind: 'configmap' | 'secret';
  steps: readonly [string, ...string[]];
  name: string;
}

const volumeFields: NameField[] = [
  { kind: 'configmap', steps: ['configMap'], name: 'name' },
  { kind: 'secret', steps: ['secret'], name: 'secretName' },
];
const sourceFields: NameField[] = [
  { kind: 'configmap', steps: ['configMap'], name: 'name' },
  { kind: 'secret', steps: ['secret'], name: 'name' },
];
const envFields: NameField[] = [
  { kind: 'configmap', steps: ['valueFrom', 'configMapKeyRef'], name: 'name' },
  { kind: 'secret', steps: ['valueFrom', 'secretKeyRef'], name: 'name' },
];
const envFromFields: NameField[] = [
  { kind: 'configmap', steps: ['configMapRef'], name: 'name' },
  { kind: 'secret', steps: ['secretRef'], name: 'name' },
];

/** CEL expression of the map that `formatAssignedVersions` has written: `configmap/foo` → object. */
export function entriesIn(text: string): string {
  return `${text}.split(',').transformMapEntry(i, p, {p.split('=')[0]: p.split('=')[1]})`;
}

/**
 * CEL expressions of lists of JSON patch operations that replace each name in `names`; together they cover the places of
 * `findReferences`.
 */
export function changesOfNames(places: Places, names: string): string[] {
  const mapped = (list: string, index: string, item: string, condition: string, inner: string) =>
    `${list}.transformList(${index}, ${item}, ${condition}, ${inner})`;
  return eachPlace(places, ({ list, index, item, pointer, condition, key }) =>
    mapped(
      list,
      index,
      item,
      `${condition} && (${key}) in ${names}`,
      `JSONPatch{op: "replace", path: ${pointer}, value: ${names}[${key}]}`,
    ),
  ).map(({ outer, inner }) =>
    outer === undefined
      ? inner
      : `${mapped(outer.list, outer.index, outer.item, outer.condition, inner)}.flatten()`,
  );
}

/** CEL expression of the list of configs that such a text names: `configmap/foo`. It accepts any text. */
export function configsIn(text: string): string {
  return `${text}.split(',').map(p, p.split('=')[0])`;
}

/** CEL expression that is true when no config is named twice in this list. */
export function isUnique(configs: string): string {
  return `${configs}.all(p, ${configs}.exists_one(q, q == p))`;
}

/** CEL expression that is true when a pod names one of these configs: a list, or a map with the configs as keys. */
export function namesAny(places: Places, configs: string): string {
  const named = eachPlace(
    places,
    ({ list, item, condition, key }) => `${list}.exists(${item}, ${condition} && (${key}) in ${configs})`,
  ).map(({ outer, inner }) =>
    outer === undefined ? inner : `${outer.list}.exists(${outer.item}, ${outer.condition} && ${inner})`,
  );
  return `(${named.join('\n|| ')})`;
}

/** One place of names: the items of a list that have the field. */
interface Place {
  list: string;
  /** The variables of the expression for the index and the item. */
  index: string;
  item: string;
  /** CEL expression of the JSON pointer to the field. */
  pointer: string;
  /** CEL expression that is true when the item has the field. */
  condition: string;
  /** CEL expression of what the field names, such as `configmap/foo`. */
  key: string;
}

type Outer = Pick<Place, 'list' | 'index' | 'item' | 'condition'>;

function eachPlace(
  { spec, path, containers, volumes = true }: Places,
  expressionOf: (place: Place) => string,
): { outer?: Outer; inner: string }[] {
  const volumeList = `${spec}.?volumes.orValue([])`;
  const volumePath = `'${path}/volumes/' + string(i)`;
  const inner = (list: string, index: string, item: string, pathOf: string, field: NameField) =>
    expressionOf(placeOf({ list, index, item, path: pathOf }, field));
  const ofVolumes = [
    ...volumeFields.map((field) => ({ inner: inner(volumeList, 'i', 'v', volumePath, field) })),
    ...sourceFields.map((field) => ({
      outer: {
        list: volumeList,
        index: 'i',
        item: 'v',
        condition: 'has(v.projected) && has(v.projected.sources)',
      },
      inner: inner(
        'v.projected.sources',
        'j',
        's',
        `${volumePath} + '/projected/sources/' + string(j)`,
        field,
      ),
    })),
  ];
  const ofContainers = containers.flatMap((each) => {
    const outer = (list: string) => ({
      list: `${spec}.?${each}.orValue([])`,
      index: 'i',
      item: 'c',
      condition: `has(c.${list})`,
    });
    const ofList = (list: string, field: NameField) => ({
      outer: outer(list),
      inner: inner(`c.${list}`, 'j', 'e', `'${path}/${each}/' + string(i) + '/${list}/' + string(j)`, field),
    });
    return [
      ...envFields.map((field) => ofList('env', field)),
      ...envFromFields.map((field) => ofList('envFrom', field)),
    ];
  });
  return [...(volumes ? ofVolumes : []), ...ofContainers];
}

function placeOf(
  { path, ...list }: Pick<Place, 'list' | 'index' | 'item'> & { path: string },
  { kind, steps, name }: NameField,
): Place {
  const parents = steps.map((_, depth) => [list.item, ...steps.slice(0, depth + 1)].join('.'));
  const field = [list.item, ...steps, name].join('.');
  return {
    ...list,
    pointer: `${path} + '/${[...steps, name].join('/')}'`,
    condition: [...parents, field].map((each) => `has(${each})`).join(' && '),
    key: `${cel(`${kind}/`)} + ${field}`,
  };
}
