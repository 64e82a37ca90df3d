import { expect, test } from 'vitest';
import { documentedRoutes } from '../routes.ts';
import { openApiDocument } from './openapi-document.ts';

interface Operation {
  operationId: string;
  parameters: { name: string; in: string; description: string }[];
  requestBody?: object;
  responses: Record<string, { description: string; content?: Record<string, object> }>;
}

const routes = documentedRoutes();
const document = openApiDocument(routes) as {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, object> };
};
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
);

test('every route is in the document, once', () => {
  expect(operations).toHaveLength(routes.length);
  const ids = operations.map(({ operation }) => operation.operationId);
  expect(new Set(ids).size).toBe(ids.length);
});

test.each(operations)('$method $path tells of its parameters and answers', ({ path, method, operation }) => {
  const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  const inPath = operation.parameters.filter((each) => each.in === 'path');
  expect(inPath.map(({ name }) => name)).toEqual(named);
  for (const { description } of operation.parameters) expect(description).not.toBe('');
  expect(Object.keys(operation.responses)).not.toHaveLength(0);
  for (const { description } of Object.values(operation.responses)) expect(description).not.toBe('');
  if (method === 'post') expect(operation.requestBody).toBeDefined();
});

test('every reference leads somewhere, and every schema is used', () => {
  const text = JSON.stringify(document);
  const referred = new Set([...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name));
  expect([...referred].sort()).toEqual(Object.keys(document.components.schemas).sort());
});

test.each(operations)('$method $path documents the errors of all routes, and YAML', ({ operation }) => {
  const { requestBody, responses } = operation;
  const expected = ['400', '401', '403', '429', '500', '503', '504'];
  if (requestBody !== undefined) expected.push('408', '413', '415');
  expect(Object.keys(responses)).toEqual(expect.arrayContaining(expected));
  for (const { content = {} } of Object.values(responses))
    if ('application/json' in content) expect(Object.keys(content)).toContain('application/yaml');
});

test('a config that is created in a namespace that does not exist is a 404', () => {
  const creations = operations.filter(({ operation }) => operation.operationId.startsWith('create'));
  expect(creations).toHaveLength(4);
  for (const { operation } of creations) expect(Object.keys(operation.responses)).toContain('404');
});

test.each(['ConfigMap', 'Secret'])(
  'every field of a %s may be null, as the gateway accepts it, except the version',
  (kind) => {
    const { properties = {} } = document.components.schemas[kind] as Schema;
    const fields = { ...properties, ...properties['metadata']?.properties };
    const notNull = Object.entries(fields).filter(([, each]) => ![each.type, each.enum].flat().some(isNull));
    expect(notNull.map(([name]) => name)).toEqual(['version']);
  },
);

interface Schema {
  type?: string | string[];
  enum?: unknown[];
  properties?: Record<string, Schema>;
}

function isNull(value: unknown): boolean {
  return value === null || value === 'null';
}
