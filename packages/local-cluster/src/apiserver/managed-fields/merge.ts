import { isObject, setKey } from '../object.ts';
import { itemsByStep, stepOf } from './list-items.ts';
import { formOf, type ListShape, type MapShape, type Shape, shapeOfField } from './shape.ts';

/** A live object with what a config says: the config's word holds, and what it leaves out stays. Undefined is nothing. */
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
 * The items of both: those of the config in its order, and each other item of the live list where it stood among those
 * that both have. Where the two orders disagree, the config's holds.
 */
function inOrder(live: readonly unknown[], config: readonly unknown[], list: ListShape): Pair[] {
  const before = itemsByStep(live, list);
  const said = itemsByStep(config, list);
  // Of what the live list has more than once, nobody can say which of them is meant.
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
    // Its turn: what the config has before it goes first. An item out of turn went, or will go, with the config's order.
    else if (step === shared[0]) {
      takeUntil(place + 1);
      shared.shift();
    }
  }
  takeUntil(order.length);
  return result;
}
