import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Refusal } from '../../versions/refusal.ts';
import { documentedRoutes } from '../routes.ts';
import { addressOf } from '../versions/addressing/config-address.ts';
import { routeTable } from './match.ts';

const routes = routeTable(documentedRoutes());
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

const words = [
  'api',
  'apis',
  'trimtab.dev',
  'v1',
  'v1alpha1',
  'version',
  'namespaces',
  'default',
  'configmaps',
  'secrets',
  'foo',
  'current',
  'versions',
  '1.0.0',
  'ack',
  'diff',
  'proxy',
  '',
  '.',
  '..',
  'é',
];

/** A segment as written, partly percent-encoded: once, twice, or with a separator inside. */
const segment = fc
  .tuple(
    fc.constantFrom(...words),
    fc.constantFrom('plain', 'plain', 'plain', 'one', 'all', 'twice', 'slash', 'end'),
  )
  .map(([word, how]) => {
    const hex = (text: string) =>
      [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
    if (how === 'one') return hex(word.slice(0, 1)) + word.slice(1);
    if (how === 'all') return hex(word);
    if (how === 'twice') return encodeURIComponent(hex(word));
    if (how === 'slash') return `${word}%2Fcurrent`;
    if (how === 'end') return `${word};a=b`;
    return word;
  });

const prefixes = [
  '/api/v1/namespaces/default/configmaps',
  '/api/v1/namespaces/default/secrets',
  '/api/version/namespaces/default/configmaps',
  '/apis/trimtab.dev/v1alpha1/namespaces/default/configmaps',
  '',
];

const path = fc
  .tuple(fc.constantFrom(...prefixes), fc.array(segment, { maxLength: 6 }))
  .map(([prefix, segments]) => [prefix, ...segments].join('/'));

/** As kube-apiserver reads a path: it decodes the path once, as a whole, and only then splits it. */
function asKubernetes(raw: string): string[] | undefined {
  try {
    return decodeURIComponent(raw).split('/');
  } catch {
    return undefined;
  }
}

const seed = Number(process.env['TRIMTAB_SEED'] ?? 17);
const numRuns = Number(process.env['TRIMTAB_FUZZ_RUNS'] ?? 5_000);

test(`a route with valid names is reached only by the path that Kubernetes reads in the same way (seed ${seed})`, () => {
  let matched = 0;
  fc.assert(
    fc.property(fc.constantFrom(...methods), path, (method, raw) => {
      const match = found(() => routes.find(method, raw));
      if (match === undefined) return;
      const { route, parameters } = match;
      const { name = 'none' } = parameters;
      // Every route checks these names before it does anything.
      if (parameters['namespace'] !== undefined)
        if (found(() => addressOf('ConfigMap', { ...parameters, name })) === undefined) return;
      matched += 1;
      const read = asKubernetes(raw)?.slice(0, route.path.split('/').indexOf('{name}') + 1);
      const expected = route.path.replace(/\{(\w+)\}/g, (_, key: string) => parameters[key] ?? '').split('/');
      expect(read).toEqual(expected.slice(0, read?.length));
      for (const value of Object.values(parameters)) expect(value).not.toMatch(/^\.{0,2}$|\0/);
    }),
    { seed, numRuns },
  );
  expect(matched).toBeGreaterThan(numRuns / 50);
});

function found<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof Refusal && error.body.code === 400) return undefined;
    throw error;
  }
}
