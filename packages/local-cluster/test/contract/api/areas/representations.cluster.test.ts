import { expect } from 'vitest';
import { contract } from '../contract.ts';
import { configMap } from '../objects.ts';
import { refuses } from '../statuses.ts';
import { told } from '../watch.ts';
import { widgetPath, widgets } from '../widgets.ts';

const partial = (kind: string) => ({ accept: `application/json;as=${kind};v=v1;g=meta.k8s.io` });
const protobuf = 'application/vnd.kubernetes.protobuf';

contract('representations', (it) => {
  it('an object is read as metadata only', async ({ api, core }) => {
    await api.post(
      core('configmaps'),
      configMap({ name: 'partial', labels: { a: 'b' } }, { data: { a: '1' } }),
    );
    const { body } = await api.get(core('configmaps/partial'), { headers: partial('PartialObjectMetadata') });
    expect(body).toMatchObject({
      kind: 'PartialObjectMetadata',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { name: 'partial', labels: { a: 'b' } },
    });
    expect(Object.keys(body)).toEqual(['kind', 'apiVersion', 'metadata']);
  });

  it('metadata are told in their older version, too', async ({ api, core }) => {
    const accept = 'application/json;as=PartialObjectMetadataList;v=v1beta1;g=meta.k8s.io';
    await api.post(core('configmaps'), configMap('older'));
    const { body } = await api.get(core('configmaps'), { headers: { accept } });
    const apiVersion = 'meta.k8s.io/v1beta1';
    expect(body).toMatchObject({ kind: 'PartialObjectMetadataList', apiVersion });
    expect((body['items'] as object[])[0]).toMatchObject({ kind: 'PartialObjectMetadata', apiVersion });
  });

  it('a list is read as metadata only', async ({ api, core }) => {
    await api.post(
      core('configmaps'),
      configMap({ name: 'listed', labels: { set: 'listed' } }, { data: { a: '1' } }),
    );
    const { body } = await api.get(core('configmaps'), {
      headers: partial('PartialObjectMetadataList'),
      query: { labelSelector: 'set=listed' },
    });
    expect(body).toMatchObject({
      kind: 'PartialObjectMetadataList',
      apiVersion: 'meta.k8s.io/v1',
      metadata: { resourceVersion: expect.any(String) },
    });
    expect(body.items).toHaveLength(1);
    expect(Object.keys(body.items[0] ?? {})).toEqual(['kind', 'apiVersion', 'metadata']);
  });

  it('a watch tells metadata only', async ({ api, core }) => {
    await using watch = await api.watch(
      core('configmaps'),
      { labelSelector: 'set=watched' },
      partial('PartialObjectMetadata'),
    );
    await api.post(
      core('configmaps'),
      configMap({ name: 'watched', labels: { set: 'watched' } }, { data: { a: '1' } }),
    );
    const events = await watch.next(1);
    expect(told(events)).toEqual(['ADDED watched']);
    expect(events[0]?.object).toMatchObject({ kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1' });
    expect(events[0]?.object).not.toHaveProperty('data');
  });

  it('a watch of metadata has bookmarks of its kind', async ({ api, core }) => {
    const query = {
      labelSelector: 'set=marked',
      sendInitialEvents: 'true',
      resourceVersionMatch: 'NotOlderThan',
      allowWatchBookmarks: 'true',
    };
    await using watch = await api.watch(core('configmaps'), query, partial('PartialObjectMetadata'));
    const [event] = await watch.next(1);
    expect(event).toMatchObject({
      type: 'BOOKMARK',
      object: {
        kind: 'PartialObjectMetadata',
        metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } },
      },
    });
  });

  it('an object is read in YAML', async ({ api, core }) => {
    await api.post(core('configmaps'), configMap('yaml', { data: { a: 'x: "y"\n' } }));
    const { headers, text } = await api.get(core('configmaps/yaml'), {
      headers: { accept: 'application/yaml' },
    });
    expect(headers['content-type']).toBe('application/yaml');
    expect(text).toMatch(/^apiVersion: v1\ndata:\n {2}a: \|\n {4}x: "y"\nkind: ConfigMap\nmetadata:\n/);
  });

  it('an object is written in YAML', async ({ api, core }) => {
    const text =
      'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: from-yaml\ndata:\n  a: |\n    one\n    two\n';
    const { code, body } = await api.post(core('configmaps'), text, {
      headers: { 'content-type': 'application/yaml' },
    });
    expect([code, body['data']]).toEqual([201, { a: 'one\ntwo\n' }]);
  });

  it('an error in YAML is a Status in YAML', async ({ api, core }) => {
    const { code, text } = await api.get(core('configmaps/nobody'), {
      headers: { accept: 'application/yaml' },
    });
    expect([code, text]).toEqual([
      404,
      'apiVersion: v1\ncode: 404\ndetails:\n  kind: configmaps\n  name: nobody\nkind: Status\nmessage: configmaps "nobody" not found\nmetadata: {}\nreason: NotFound\nstatus: Failure\n',
    ]);
  });

  it('pretty=true breaks lines', async ({ api, core }) => {
    await api.post(core('configmaps'), configMap('pretty'));
    const { text } = await api.get(core('configmaps/pretty'), { query: { pretty: 'true' } });
    expect(text).toMatch(
      /^\{\n {2}"kind": "ConfigMap",\n {2}"apiVersion": "v1",\n {2}"metadata": \{\n {4}"name": "pretty",/,
    );
  });

  it('kind and version come first', async ({ api, core }) => {
    const { text } = await api.get(core('configmaps'), { query: { limit: '1' } });
    expect(text).toMatch(/^\{"kind":"ConfigMapList","apiVersion":"v1","metadata":\{/);
  });

  it('who accepts anything gets JSON', async ({ api, core }) => {
    const { headers } = await api.get(core('configmaps'), { headers: { accept: '*/*' } });
    expect(headers['content-type']).toBe('application/json');
  });

  it('of what is accepted, the first that the server knows is taken', async ({ api, core }) => {
    const accept = 'text/html, application/yaml;q=0.9, application/json;q=0.8';
    const { headers } = await api.get(core('configmaps'), { headers: { accept } });
    expect(headers['content-type']).toBe('application/yaml');
  });

  it(
    'who accepts nothing that the server knows is told what it knows',
    refuses(({ api, core }) => api.get(core('configmaps'), { headers: { accept: 'text/html' } }), {
      code: 406,
      reason: 'NotAcceptable',
      message:
        '406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, application/vnd.kubernetes.protobuf, application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch',
      details: {},
    }),
  );

  it('who accepts protobuf or JSON can be served', async ({ api, core }) => {
    const { code } = await api.get(core('configmaps'), {
      headers: { accept: `${protobuf},application/json` },
    });
    expect(code).toBe(200);
  });

  it('a custom resource is not served in protobuf, so that clients fall back to JSON', async (target) => {
    await widgets(target);
    const { code } = await target.api.get(widgetPath(target), { headers: { accept: protobuf } });
    expect(code).toBe(406);
  });

  it('nothing at all is served in protobuf', async (target) => {
    const { code, body } = await target.api.get(target.core('configmaps'), { headers: { accept: protobuf } });
    expect([code, body['reason']]).toEqual([406, 'NotAcceptable']);
  });

  it(
    'a body of a type that the server does not know is refused',
    refuses(
      ({ api, core }) => api.post(core('configmaps'), 'x', { headers: { 'content-type': 'text/plain' } }),
      {
        code: 415,
        reason: 'UnsupportedMediaType',
        message:
          'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml, application/vnd.kubernetes.protobuf',
      },
    ),
  );

  it('a body without a type is JSON', async ({ api, core }) => {
    const headers = { 'content-type': '' };
    const { code } = await api.post(core('configmaps'), configMap('untyped'), { headers });
    expect(code).toBe(201);
  });

  it('a type may carry a charset', async ({ api, core }) => {
    const headers = { 'content-type': 'application/json; charset=utf-8' };
    const { code } = await api.post(core('configmaps'), configMap('charset'), { headers });
    expect(code).toBe(201);
  });

  it('answers are compressed for who asks for it, when they are large', async ({ api, core }) => {
    await api.post(core('configmaps'), configMap('large', { data: { a: 'x'.repeat(200_000) } }));
    const { headers, text } = await api.get(core('configmaps/large'), {
      headers: { 'accept-encoding': 'gzip' },
    });
    expect(headers['content-encoding']).toBe('gzip');
    expect(text.length).toBeLessThan(10_000);
  });

  it('answers say that they must not be cached', async ({ api, core }) => {
    const { headers } = await api.get(core('configmaps'));
    expect(headers['cache-control']).toBe('no-cache, private');
    expect(headers['audit-id']).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('a request may bring its ID of the audit log', async ({ api, core }) => {
    const id = '3f1c6e0a-0000-4000-8000-00000000c0de';
    const { headers } = await api.get(core('configmaps'), { headers: { 'audit-id': id } });
    expect(headers['audit-id']).toBe(id);
  });
});
