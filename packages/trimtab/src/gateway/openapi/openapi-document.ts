import type { JsonSchema, Route, RouteDocument } from '../route/route.ts';
import { sharedSchemas } from './schemas.ts';

/** The parts of paths, in words. */
const pathParameters: Record<string, string> = {
  namespace: 'The namespace.',
  name: 'The name of the config.',
  version: 'The name of a version, percent-encoded once: any text.',
  segment: 'The name of a config or of a version, which the body tells.',
  a: 'A version, or `current`.',
  b: 'A version, or `current`.',
};

/** OpenAPI 3.1 of the routes that are ours. Everything else is Kubernetes' own API, which documents itself. */
export function openApiDocument(routes: readonly Route[]): JsonSchema {
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const { method, path, document } of routes) {
    const item = paths[path] ?? {};
    item[method.toLowerCase()] = operation(path, document);
    paths[path] = item;
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Trimtab gateway',
      version: 'v1alpha1',
      summary: 'Versions of ConfigMaps and Secrets.',
      description:
        'Every other path goes to the API server as it came. Whoever asks has the rights that the cluster gives them; errors are Status objects of Kubernetes.',
    },
    paths,
    components: {
      schemas: sharedSchemas,
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
    },
    security: [{ bearer: [] }],
  };
}

function operation(path: string, { operationId, summary, query, body, answers }: RouteDocument): JsonSchema {
  return {
    operationId,
    summary,
    parameters: [...inPath(path), ...inQuery(query)],
    ...(body && {
      requestBody: {
        description: body.description,
        required: !body.optional,
        content: content(body.schema, ['application/json', 'application/yaml']),
      },
    }),
    responses: Object.fromEntries(
      Object.entries(answers).map(([code, { description, schema, contentTypes = ['application/json'] }]) => [
        code,
        { description, ...(schema && { content: content(schema, contentTypes) }) },
      ]),
    ),
  };
}

function inPath(path: string): JsonSchema[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    description: pathParameters[name] ?? '',
    schema: { type: 'string' },
  }));
}

function inQuery(query: RouteDocument['query'] = {}): JsonSchema[] {
  return Object.entries(query).map(([name, { description, schema }]) => ({
    name,
    in: 'query',
    required: false,
    description,
    schema,
  }));
}

/** What is not JSON or YAML has no schema but text. */
function content(schema: JsonSchema, types: readonly string[]): JsonSchema {
  return Object.fromEntries(
    types.map((type) => [type, { schema: type.startsWith('text/') ? { type: 'string' } : schema }]),
  );
}
