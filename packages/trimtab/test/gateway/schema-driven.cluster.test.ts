import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { openApiDocument } from '../../src/gateway/openapi/openapi-document.ts';
import type { JsonSchema } from '../../src/gateway/route/route.ts';
import { documentedRoutes } from '../../src/gateway/routes.ts';
import { proposalRoutes } from '../../src/gateway/workloads/proposal-routes.ts';
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
  document = withNamesOf(openApiDocument([...documentedRoutes(), ...proposalRoutes()]), fuzzed.names);
});

afterAll(() => scene?.close());

interface Operation {
  operationId: string;
  parameters?: { name: string; in: string; schema: JsonSchema }[];
  requestBody?: { content: Record<string, { schema: JsonSchema }> };
  responses: Record<string, { content?: Record<string, { schema: JsonSchema }> }>;
}

interface Generated {
  call: Call;
  token: string;
}

/** Headers that routes read, with values that they do and do not know; most requests have none of them. */
const headers = fc.oneof(
  { weight: 3, arbitrary: fc.constant({}) },
  {
    weight: 1,
    arbitrary: fc.record(
      {
        accept: fc.constantFrom(
          'application/yaml',
          'application/json;as=Table;v=v1;g=meta.k8s.io',
          'text/plain',
          '*/*',
          'yaml, json',
          ',;',
        ),
        'content-type': fc.constantFrom(
          'application/yaml',
          'application/json; charset=utf-8',
          'application/apply-patch+yaml',
          'application/x-www-form-urlencoded',
          'application/vnd.kubernetes.protobuf',
          'APPLICATION/JSON;',
          ';',
        ),
        'content-encoding': fc.constantFrom('identity', 'gzip', 'x'),
        'if-match': fc.constantFrom('"1.0.0"', '*', '1.0.0', '"', 'W/"x"', '"%ff"', '"a", "b"'),
        'if-none-match': fc.constantFrom('*', '"1.0.0"', '"', ',', 'W/"x"'),
      },
      { requiredKeys: [] },
    ),
  },
);

/** Values in headers are visible ASCII. */
function headerValue(value: unknown): string {
  return encoded(value)
    .slice(0, 1_000)
    .replace(/%2[2A]/g, decodeURIComponent);
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
        { weight: 9, arbitrary: valuesOf(resolve, schema).map((value) => ({ value })) },
        { weight: 1, arbitrary: fc.string({ unit: 'binary' }).map((text) => ({ text })) },
      ),
    }),
  );
  return fc
    .record({
      token: fc.constantFrom(...tokensFor(method, path)),
      inPath: fc.record(valuesIn('path')),
      inQuery: fc.record(valuesIn('query'), { requiredKeys: [] }),
      inHeader: fc.record(valuesIn('header'), { requiredKeys: [] }),
      odd: headers,
      isOfPath: fc.boolean(),
      sent: bodies.length === 0 ? fc.constant(undefined) : fc.oneof(...bodies),
    })
    .map(({ token, inPath, inQuery, inHeader, odd, isOfPath, sent }) => {
      const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encoded(inPath[name]));
      const query = Object.entries(inQuery).map(([name, value]) => `${name}=${encoded(value)}`);
      // Workloads are never written: a pod that runs is the matter of other tests.
      if (isProposal(operation)) query.push('dryRun=All');
      const known = Object.entries(inHeader).map(([name, value]) => [name.toLowerCase(), headerValue(value)]);
      const own = { ...Object.fromEntries(known), ...odd };
      const isNamed = isOfPath && path.endsWith('s/{name}');
      const body = sent && textOf(sent.body, (value) => (isNamed ? ofPath(value, path, inPath) : value));
      const type = sent && { contentType: sent.contentType };
      const call = { method, path: `${filled}?${query.join('&')}`, ...type, body, headers: own };
      return { token, call };
    });
}

type Sent = { value: unknown } | { text: string };

function textOf(sent: Sent, change: (value: unknown) => unknown): string {
  return 'text' in sent ? sent.text : (JSON.stringify(change(sent.value)) ?? '');
}

/** The object with the kind and name of the path: random ones hardly ever match. */
function ofPath(value: unknown, path: string, { name }: Record<string, unknown>): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const { metadata, ...rest } = value as { metadata?: unknown };
  const kind = path.includes('/secrets')
    ? { kind: 'Secret' }
    : path.includes('/configmaps') && { kind: 'ConfigMap' };
  const own = typeof metadata === 'object' ? { ...metadata, name } : metadata;
  return { ...rest, ...(kind && { apiVersion: 'v1', ...kind }), metadata: own };
}

/** A route that converts fields of workloads. What it answers otherwise is Kubernetes' own, and not documented. */
function isProposal({ operationId }: Operation): boolean {
  return operationId === 'convertProposalFields';
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
const numRuns = Number(process.env['TRIMTAB_FUZZ_RUNS'] ?? 24);

test(`every route answers as its OpenAPI document says, and a refused request changes nothing (seed ${seed})`, async () => {
  const resolve = resolverOf(document);
  const paths = Object.entries(document['paths'] as Record<string, Record<string, Operation>>);
  const operations = paths.flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => {
      const calls = callsOf(method.toUpperCase(), path, operation);
      return { operation, route: `${method.toUpperCase()} ${path}`, calls };
    }),
  );
  const codes = new Map<string, number[]>();
  let before = await state();
  for (const { operation, route, calls } of operations)
    await fc.assert(
      fc.asyncProperty(calls, async ({ call, token }) => {
        const { status, text, headers } = await scene.gateway.callWith(token, call);
        const type = (headers.get('content-type') ?? '').split(';')[0] ?? '';
        const value = type.startsWith('text/') || text === '' ? undefined : parse(text);
        codes.set(route, [...(codes.get(route) ?? []), status]);
        const after = await state();
        const about = `${route}: ${status} ${text.slice(0, 500)}`;
        const documented = operation.responses[status];
        if (!isProposal(operation)) expect(documented, about).toBeDefined();
        // The API server itself fails when an apply has a field of another type, or no base64.
        if (!/failed to (create typed patch|convert new) object/.test(text))
          expect(status, about).toBeLessThan(500);
        // The local cluster has no Jobs.
        const isUnknown = isProposal(operation) && status === 404 && type === 'text/plain';
        if (status >= 400 && !isUnknown) {
          expect(value, about).toMatchObject({
            kind: 'Status',
            apiVersion: 'v1',
            status: 'Failure',
            code: status,
          });
          // The API server itself quotes the object that a patch results in.
          if (!/^[^:]* is invalid: patch: /.test(value.message))
            expect(text, about).not.toMatch(/hunter2|aHVudGVyMg/);
          expect(after, about).toBe(before);
        }
        before = after;
        if (documented?.content !== undefined) expect(Object.keys(documented.content), about).toContain(type);
        const schema = documented?.content?.[type]?.schema;
        // A Table is Kubernetes' own.
        if (schema !== undefined && value !== undefined && value.kind !== 'Table')
          expect(schemaProblem(resolve, schema, value), about).toBeUndefined();
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
