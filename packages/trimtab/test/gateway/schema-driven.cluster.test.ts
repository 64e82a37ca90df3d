import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { JsonSchema } from '../../src/gateway/route/route.ts';
import { type FuzzScene, pathsOfPods, startFuzzScene, withNamesOf } from './fuzz/fuzz-scene.ts';
import { resolverOf, schemaProblem } from './fuzz/schema-problem.ts';
import { valuesOf } from './fuzz/schema-values.ts';
import type { Call } from './support/gateway-scene.ts';
import type { VersionsScene } from './support/versions-scene.ts';

let fuzzed: FuzzScene;
let scene: VersionsScene;
let document: JsonSchema;

beforeAll(async () => {
  fuzzed = await startFuzzScene();
  scene = fuzzed.scene;
  const file = new URL('../../../../docs/reference/gateway-openapi.json', import.meta.url);
  document = withNamesOf(JSON.parse(await readFile(file, 'utf8')), fuzzed.names);
});

afterAll(() => scene?.close());

interface Operation {
  operationId: string;
  parameters?: { name: string; in: string; schema: JsonSchema }[];
  requestBody?: { content: Record<string, { schema: JsonSchema }> };
  responses: Record<string, { content?: Record<string, { schema: JsonSchema }> }>;
}

interface Generated {
  operation: Operation;
  call: Call;
  token: string;
}

/** A call of one operation, with values from the schemas of its parameters and its body. */
function callsOf(method: string, path: string, operation: Operation): fc.Arbitrary<Generated> {
  const resolve = resolverOf(document);
  const { parameters = [], requestBody } = operation;
  const valuesIn = (where: string) =>
    Object.fromEntries(
      parameters
        .filter((parameter) => parameter.in === where)
        .map(({ name, schema }) => [name, valuesOf(resolve, schema)]),
    );
  const bodies = Object.entries(requestBody?.content ?? {}).map(([contentType, { schema }]) =>
    fc.record({
      contentType: fc.oneof(
        { weight: 9, arbitrary: fc.constant(contentType) },
        { weight: 1, arbitrary: fc.constantFrom('text/plain', 'application/json; charset=latin1') },
      ),
      body: fc.oneof(
        { weight: 9, arbitrary: valuesOf(resolve, schema).map((value) => JSON.stringify(value) ?? '') },
        { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
      ),
    }),
  );
  return fc
    .record({
      token: fc.constantFrom(...tokensFor(method, path)),
      inPath: fc.record(valuesIn('path')),
      inQuery: fc.record(valuesIn('query'), { requiredKeys: [] }),
      sent: bodies.length === 0 ? fc.constant({}) : fc.oneof(...bodies),
    })
    .map(({ token, inPath, inQuery, sent }) => {
      const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encoded(inPath[name]));
      const query = Object.entries(inQuery).map(([name, value]) => `${name}=${encoded(value)}`);
      return { operation, token, call: { method, path: `${filled}?${query.join('&')}`, ...sent } };
    });
}

/** Whoever may call the route, and both where it answers users and pods. */
function tokensFor(method: string, path: string): string[] {
  const { userToken, podToken } = fuzzed;
  if (path.endsWith('/ack')) return [podToken, podToken, userToken];
  return method === 'GET' && pathsOfPods.test(path) ? [userToken, podToken] : [userToken];
}

/** `fetch` resolves segments with dots, and nothing is no segment; raw paths are the matter of another test. */
function encoded(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return /^\.{0,2}$/.test(text) ? '-' : encodeURIComponent(text.toWellFormed());
}

/** Everything that a request could change. */
async function state(): Promise<string> {
  const all = await Promise.all([
    scene.objects('configmaps'),
    scene.objects('secrets'),
    scene.objects('configrollouts'),
  ]);
  return JSON.stringify(all.flat().map(({ metadata }) => [metadata.name, metadata.resourceVersion]));
}

/** To repeat a run, set TRIMTAB_SEED; TRIMTAB_FUZZ_RUNS sets the number of requests of each operation. */
const seed = Number(process.env['TRIMTAB_SEED'] ?? 17);
const numRuns = Number(process.env['TRIMTAB_FUZZ_RUNS'] ?? 16);

test(`every route answers as its OpenAPI document says, and a refused request changes nothing (seed ${seed})`, async () => {
  const resolve = resolverOf(document);
  const paths = Object.entries(document['paths'] as Record<string, Record<string, Operation>>);
  const operations = paths.flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => callsOf(method.toUpperCase(), path, operation)),
  );
  const codes = new Map<string, number[]>();
  let before = await state();
  for (const calls of operations)
    await fc.assert(
      fc.asyncProperty(calls, async ({ operation, call, token }) => {
        const { status, text, json, headers } = await scene.gateway.callWith(token, call);
        codes.set(operation.operationId, [...(codes.get(operation.operationId) ?? []), status]);
        const after = await state();
        const about = `${operation.operationId}: ${status} ${text.slice(0, 500)}`;
        const documented = operation.responses[status];
        expect(documented, about).toBeDefined();
        expect(status, about).toBeLessThan(500);
        if (status >= 400) {
          expect(json, about).toMatchObject({
            kind: 'Status',
            apiVersion: 'v1',
            status: 'Failure',
            code: status,
          });
          // The API server itself quotes the object that a patch results in.
          if (!/^[^:]* is invalid: patch: /.test(json.message))
            expect(text, about).not.toMatch(/hunter2|aHVudGVyMg/);
          expect(after, about).toBe(before);
        }
        before = after;
        const type = (headers.get('content-type') ?? '').split(';')[0] ?? '';
        if (documented?.content !== undefined) expect(Object.keys(documented.content), about).toContain(type);
        const schema = documented?.content?.[type]?.schema;
        if (schema !== undefined && json !== undefined)
          expect(schemaProblem(resolve, schema, json), about).toBeUndefined();
      }),
      { seed, numRuns },
    );
  // The requests reach what they are meant for, and the gateway still serves.
  expect(codes.size).toBe(operations.length);
  const shallow = [...codes].filter(([, seen]) => seen.every((code) => [400, 403, 415].includes(code)));
  expect(shallow).toEqual([]);
  expect([...new Set([...codes.values()].flat())]).toEqual(expect.arrayContaining([200, 201, 404, 409, 422]));
  expect((await scene.as('alice', 'GET', 'configmaps/locked/1.0.0')).status).toBe(200);
});
