import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { annotations } from '../../api/names.ts';
import type { ConfigKey } from './config-key.ts';
import { formatMove, requestedMove } from './requested-move.ts';

const name = fc.stringMatching(/^[a-z0-9]([-.a-z0-9]{0,20}[a-z0-9])?$/);
const move = fc.record({
  generation: fc.nat(),
  names: fc
    .array(fc.tuple(fc.constantFrom('ConfigMap', 'Secret'), name, name))
    .map((each) => new Map(each.map(([kind, from, to]) => [`${kind}/${from}` as ConfigKey, to]))),
  label: fc.option(fc.stringMatching(/^[a-z2-7]{10}$/), { nil: undefined }),
  record: fc.option(fc.json(), { nil: undefined }),
});
const objects = (text: string, generation: number, before?: string) =>
  [
    { metadata: { annotations: { [annotations.move]: text } } },
    {
      metadata: { generation, ...(before !== undefined && { annotations: { [annotations.move]: before } }) },
    },
  ] as const;

describe('a requested change of references', () => {
  test('is read as it was written', () => {
    fc.assert(
      fc.property(move, (given) => {
        const [object, oldObject] = objects(formatMove(given), given.generation);
        expect(requestedMove(object, oldObject)).toEqual(given);
      }),
    );
  });

  test('counts only in the update that requests it', () => {
    const given = { generation: 7, names: new Map(), label: 'abcdefghij', record: '{}' };
    const text = formatMove(given);
    expect(requestedMove(...objects(text, 7, 'another one'))).toEqual(given);
    // An annotation that was there before, or that `kubectl rollout undo` has brought back.
    expect(requestedMove(...objects(text, 7, text))).toBeUndefined();
    expect(requestedMove(...objects(text, 8))).toBeUndefined();
    expect(requestedMove(objects(text, 7)[0], undefined)).toBeUndefined();
  });

  test.each([
    '',
    '7',
    '7 - x',
    'x - configmap/foo=bar {}',
    '7 - configmap/foo {}',
    '7 - configmap/foo=a=b {}',
  ])('that is malformed (%j) is none', (text) => {
    expect(requestedMove(...objects(text, 7))).toBeUndefined();
  });
});
