import { needsText } from '../../core/installation/caller-needs.ts';
import type { JsonSchema, Route, RouteDocument } from '../route/route.ts';
import { errors, errorsOfAll, errorsOfBodies, sharedSchemas } from './schemas.ts';

const jsonOrYaml = ['application/json', 'application/yaml'];

/** Descriptions of the path parameters. */
const pathParameters: Record<string, string> = {
  namespace: 'Namespace of the config.',
  name: 'Name of the config: a ConfigMap or a Secret.',
  version: 'Name of a version: any string, percent-encoded once.',
  segment: 'Name of a config or of a version; the name in the body decides which.',
  a: 'Name of a version, or `current`.',
  b: 'Name of a version, or `current`.',
};

/** OpenAPI 3.1 document of the gateway's own routes. All other paths are the Kubernetes API, which documents itself. */
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
        'All other paths are proxied unchanged to the API server. Requests run with the rights of the caller; errors are Kubernetes Status objects.',
    },
    paths,
    components: {
      schemas: sharedSchemas,
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
    },
    security: [{ bearer: [] }],
  };
}

function operation(path: string, document: RouteDocument): JsonSchema {
  const { operationId, summary, isPublic = false, rights, query, headers, body } = document;
  const answers = {
    ...errors(...errorsOfAll, ...(body === undefined ? [] : errorsOfBodies)),
    ...document.answers,
  };
  return {
    operationId,
    summary,
    ...(rights && { description: `The caller needs ${needsText(rights.needs)}.` }),
    ...(isPublic && { security: [] }),
    parameters: [...inPath(path), ...optional('query', query), ...optional('header', headers)],
    ...(body && {
      requestBody: {
        description: body.description,
        required: !body.optional,
        content: content(body.schema, body.contentTypes ?? jsonOrYaml, body.schemas),
      },
    }),
    responses: Object.fromEntries(
      Object.entries(answers).map(([code, { description, schema, contentTypes = jsonOrYaml }]) => [
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
    schema: { type: 'string', minLength: 1 },
  }));
}

function optional(where: 'query' | 'header', parameters: RouteDocument['query'] = {}): JsonSchema[] {
  return Object.entries(parameters).map(([name, { description, schema }]) => ({
    name,
    in: where,
    required: false,
    description,
    schema,
  }));
}

/** Text types have the schema of a string; all others have the given schema. */
function content(
  schema: JsonSchema,
  types: readonly string[],
  schemas: Readonly<Record<string, JsonSchema>> = {},
): JsonSchema {
  return Object.fromEntries(
    types.map((type) => [
      type,
      { schema: type.startsWith('text/') ? { type: 'string' } : (schemas[type] ?? schema) },
    ]),
  );
}
