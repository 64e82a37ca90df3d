import { isObject, setKey } from '../object.ts';
import { itemsByStep, stepOf } from './list-items.ts';
import { formOf, type ListShape, type MapShape, type Shape, shapeOfField } from './shape.ts';

/** Merges a config into a live value: the config takes precedence; omitted fields stay. Undefined is a missing value. */
export function merge(live: unknown, config: unknown, shape: Shape): unknown {
  const form = formOf(shape, config === undefined ? live : config);
  if (form.is === 'list') return mergeLists(live, config, form);
  return form.is === 'map' ? mergeMaps(live, config, form) : pick(live, config);
}

function pick(live: unknown, config: unknown): unknown {
  return config === undefined ? live : config;
}

function mergeMaps(live: unknown, config: unknown, map: MapShape): unknown {
  const left = isObject(live) ? live : {};
  const right = isObject(config) ? config : {};
  const keys = new Set([...Object.keys(left), ...Object.keys(right)]);
  if (map.atomic || keys.size === 0) return pick(live, config);
  const merged = {};
  for (const key of keys) {
    const before = Object.hasOwn(left, key) ? left[key] : undefined;
    const said = Object.hasOwn(right, key) ? right[key] : undefined;
    const value = merge(before, said, shapeOfField(map, key));
    if (value !== undefined) setKey(merged, key, value);
  }
  return merged;
}

function mergeLists(live: unknown, config: unknown, list: ListShape): unknown {
  const left = Array.isArray(live) ? live : [];
  const right = Array.isArray(config) ? config : [];
  if (list.how === 'atomic' || left.length + right.length === 0) return pick(live, config);
  return inOrder(left, right, list).map(({ before, said }) => merge(before, said, list.of));
}

interface Pair {
  before: unknown;
  said: unknown;
}

/**
 * Returns the items of both lists: those of the config in its order, and every other item of the live list at its
 * position relative to the shared items. Where the two orders disagree, the order of the config is used.
 */
function inOrder(live: readonly unknown[], config: readonly unknown[], list: ListShape): Pair[] {
  const before = itemsByStep(live, list);
  const said = itemsByStep(config, list);
  // When the live list has duplicates of an item, the matching one is unknown.
  const only = (step: string) => (before.get(step)?.length === 1 ? before.get(step)?.[0] : undefined);
  const order = [...said.keys()];
  const places = new Map(order.map((step, index) => [step, index]));
  const result: Pair[] = [];
  let taken = 0;
  const takeUntil = (end: number) => {
    for (; taken < end; taken++) {
      const step = order[taken] ?? '';
      result.push({ before: only(step), said: said.get(step)?.[0] });
    }
  };
  const shared = order.filter((step) => before.has(step));
  for (const item of live) {
    const step = stepOf(list, item);
    const place = step === undefined ? undefined : places.get(step);
    if (place === undefined) result.push({ before: item, said: undefined });
    // The next shared item in the config's order: config items before it go first. A shared item at another position
    // is placed by the order of the config.
    else if (step === shared[0]) {
      takeUntil(place + 1);
      shared.shift();
    }
  }
  takeUntil(order.length);
  return result;
}
