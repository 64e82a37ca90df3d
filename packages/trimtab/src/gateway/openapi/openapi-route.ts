import { wantsYaml, writeText } from '../answer/write-answer.ts';
import { yamlText } from '../answer/yaml-text.ts';
import type { Route } from '../route/route.ts';
import { openApiDocument } from './openapi-document.ts';

/** Serves the OpenAPI document of all routes. The document holds no data of the cluster, so it needs no rights. */
export function openApiRoute(routes: readonly Route[]): Route {
  let texts: ReturnType<typeof textsOf> | undefined;
  const route: Route = {
    method: 'GET',
    path: '/openapi/trimtab.json',
    document: {
      operationId: 'readOpenApi',
      summary: 'The OpenAPI document of the gateway.',
      isPublic: true,
      answers: { 200: { description: 'OpenAPI 3.1 document.', schema: { type: 'object' } } },
    },
    async handle({ response, unsent }) {
      texts ??= textsOf([...routes, route]);
      const type = wantsYaml(response.req) ? 'application/yaml' : 'application/json';
      writeText(response, 200, type, texts[type], { unsent });
      return 'answered';
    },
  };
  return route;
}

/** Built once: the routes never change. */
function textsOf(routes: readonly Route[]) {
  const json = JSON.stringify(openApiDocument(routes));
  return { 'application/json': `${json}\n`, 'application/yaml': yamlText(json) };
}
