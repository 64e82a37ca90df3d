import { difference, type FieldSet, intersection, isEmpty, union } from './field-set.ts';
import { fieldsOf } from './fields-of.ts';
import { removeFields } from './remove.ts';
import { type Shape, shapeOfField } from './shape.ts';

/**
 * Removes fields that a manager applied the last time and no longer names, unless another manager owns them. `owned`
 * holds the fields of all managers, including those of this manager's new config.
 */
export function prune(merged: unknown, last: FieldSet, owned: FieldSet, shape: Shape): unknown {
  if (isEmpty(last)) return merged;
  const named = (set: FieldSet) => withNamedFields(set, shape);
  const fields = (value: unknown) => named(fieldsOf(value, shape));
  const all = fields(merged);
  const bare = removeFields(merged, named(last), shape);
  const others = removeFields(merged, difference(all, union(fields(bare), named(owned))), shape);
  // A field that is removed only because its parent is did not belong to this manager, so it is kept.
  return removeFields(merged, intersection(difference(all, fields(others)), named(last)), shape);
}

/** Adds declared fields that have entries in the set: such a field is removed together with its last entry. */
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
