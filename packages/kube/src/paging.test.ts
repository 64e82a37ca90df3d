import { expect, test } from 'vitest';
import { accessTo, answerJson, serveHttp, status } from '../test/transport-server.ts';
import { silentLogger } from './log/silent-logger.ts';
import { listAll, type Page } from './paging.ts';
import { configMaps } from './resource.ts';
import { httpClient } from './transport/http-client.ts';
import type { KubeObject } from './wire.ts';

/** A client that records the queries of its requests and responds with the result of `answer`. */
async function walk(answer: (query: URLSearchParams) => unknown, options = {}) {
  const queries: string[] = [];
  const server = await serveHttp((request, response) => {
    const query = new URL(request.url ?? '', 'http://local').searchParams;
    queries.push(String(query));
    const body = answer(query);
    const code = typeof body === 'object' && body !== null && 'code' in body ? Number(body.code) : 200;
    answerJson(response, code, body);
  });
  const client = httpClient({ access: accessTo(server.url), log: silentLogger });
  try {
    const pages: Page<KubeObject>[] = [];
    for await (const found of listAll(client, configMaps, options)) pages.push(found);
    return { queries, pages };
  } finally {
    client.close();
    await server.close();
  }
}

const page = (names: string[], resourceVersion: string, next?: string) => ({
  kind: 'ConfigMapList',
  apiVersion: 'v1',
  metadata: { resourceVersion, ...(next === undefined ? {} : { continue: next }) },
  items: names.map((name) => ({ metadata: { name } })),
});

const names = (pages: Page<KubeObject>[]) =>
  pages.map((found) => (found.type === 'page' ? found.items.map((item) => item.metadata.name) : found.type));

test('all pages come, one request each, and every page has the version of the whole', async () => {
  const { pages, queries } = await walk(
    (query) => (query.get('continue') === 'two' ? page(['c'], '7') : page(['a', 'b'], '7', 'two')),
    { limit: 2, resourceVersion: '5', resourceVersionMatch: 'NotOlderThan' },
  );
  expect(names(pages)).toEqual([['a', 'b'], ['c']]);
  expect(pages).toMatchObject([{ resourceVersion: '7' }, { resourceVersion: '7' }]);
  expect(queries).toEqual([
    'limit=2&resourceVersion=5&resourceVersionMatch=NotOlderThan',
    'limit=2&continue=two',
  ]);
});

test('a token that expired starts the list again, in one piece', async () => {
  const { pages, queries } = await walk((query) => {
    if (query.get('continue') !== null) return status(410, 'Expired');
    return query.get('limit') === null ? page(['a', 'b', 'c'], '9') : page(['a'], '7', 'two');
  });
  expect(names(pages)).toEqual([['a'], 'restart', ['a', 'b', 'c']]);
  expect(queries).toEqual(['limit=500', 'limit=500&continue=two', '']);
});

test('a first page that is gone is an error', async () => {
  await expect(walk(() => status(410, 'Expired'))).rejects.toMatchObject({ status: 410 });
});
