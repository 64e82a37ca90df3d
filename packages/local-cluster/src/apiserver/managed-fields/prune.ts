import { difference, type FieldSet, intersection, isEmpty, union } from './field-set.ts';
import { fieldsOf } from './fields-of.ts';
import { removeFields } from './remove.ts';
import { type Shape, shapeOfField } from './shape.ts';

/**
 * Removes what a manager applied the last time and no longer names, as far as nobody else owns it. `owned` is what all
 * managers own now, this one's new config included.
 */
export function prune(merged: unknown, last: FieldSet, owned: FieldSet, shape: Shape): unknown {
  if (isEmpty(last)) return merged;
  const named = (set: FieldSet) => withNamedFields(set, shape);
  const fields = (value: unknown) => named(fieldsOf(value, shape));
  const all = fields(merged);
  const bare = removeFields(merged, named(last), shape);
  const others = removeFields(merged, difference(all, union(fields(bare), named(owned))), shape);
  // What went only because something around it did was not this manager's, and comes back.
  return removeFields(merged, intersection(difference(all, fields(others)), named(last)), shape);
}

/** A field that the schema names goes when the last that is in it goes: the set gets it beside what is in it. */
function withNamedFields(set: FieldSet, shape: Shape | undefined): FieldSet {
  const map = shape?.is === 'any' ? shape.map : shape?.is === 'map' ? shape : undefined;
  const list = shape?.is === 'any' ? shape.list : shape?.is === 'list' ? shape : undefined;
  const below = new Map<string, FieldSet>();
  for (const [step, node] of set.below) {
    if (node.below.size === 0) {
      below.set(step, node);
      continue;
    }
    const name = step.startsWith('f:') ? step.slice(2) : undefined;
    const inner =
      name !== undefined && map !== undefined
        ? shapeOfField(map, name)
        : step.startsWith('k:')
          ? list?.of
          : undefined;
    const { own, below: deeper } = withNamedFields(node, inner);
    const isNamed = name !== undefined && (map?.fields.has(name) ?? false);
    below.set(step, { own: own || isNamed, below: deeper });
  }
  return { own: set.own, below };
}
