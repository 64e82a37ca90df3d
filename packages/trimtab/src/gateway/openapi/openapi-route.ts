import { writeObject } from '../answer/write-answer.ts';
import type { Route } from '../route/route.ts';
import { openApiDocument } from './openapi-document.ts';

/** The document of all routes, this one included. It says nothing about any cluster, so that everybody may read it. */
export function openApiRoute(routes: readonly Route[]): Route {
  const route: Route = {
    method: 'GET',
    path: '/openapi/trimtab.json',
    document: {
      operationId: 'readOpenApi',
      summary: 'This document.',
      answers: { 200: { description: 'OpenAPI 3.1.', schema: { type: 'object' } } },
    },
    async handle({ response }) {
      writeObject(response, 200, openApiDocument([...routes, route]));
      return 'answered';
    },
  };
  return route;
}
