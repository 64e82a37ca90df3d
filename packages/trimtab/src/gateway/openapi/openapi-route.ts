import { writeObject } from '../answer/write-answer.ts';
import type { Route } from '../route/route.ts';
import { openApiDocument } from './openapi-document.ts';

/** Serves the OpenAPI document of all routes. The document holds no data of the cluster, so it needs no rights. */
export function openApiRoute(routes: readonly Route[]): Route {
  const route: Route = {
    method: 'GET',
    path: '/openapi/trimtab.json',
    document: {
      operationId: 'readOpenApi',
      summary: 'The OpenAPI document of the gateway.',
      isPublic: true,
      answers: { 200: { description: 'OpenAPI 3.1 document.', schema: { type: 'object' } } },
    },
    async handle({ response }) {
      writeObject(response, 200, openApiDocument([...routes, route]));
      return 'answered';
    },
  };
  return route;
}
