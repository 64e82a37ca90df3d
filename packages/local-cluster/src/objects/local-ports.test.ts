import fc from 'fast-check';
import { expect, test } from 'vitest';
import { localPortsText, readLocalPorts } from './local-ports.ts';

test('a written mapping is read back, and invalid text is ignored', () => {
  const port = fc.integer({ min: 1, max: 65_535 });
  fc.assert(
    fc.property(fc.uniqueArray(fc.tuple(port, port), { selector: ([each]) => each }), (pairs) => {
      expect([...readLocalPorts(localPortsText(new Map(pairs)))]).toEqual(pairs);
    }),
  );
  fc.assert(fc.property(fc.string(), (text) => readLocalPorts(text).size >= 0));
  expect([...readLocalPorts('80=8080, 443=0,x=1,70000=1,=,81=8181')]).toEqual([
    [80, 8080],
    [81, 8181],
  ]);
});
