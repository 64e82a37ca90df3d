import { expect } from 'vitest';
import { contract } from '../contract.ts';
import { alreadyExists, badRequest, conflict, invalid, modified, notFound, refused } from '../statuses.ts';
import { dnsSubdomain } from '../texts.ts';
import { told } from '../watch.ts';
import { create, created } from '../widget-cases.ts';
import { groupOf, widget, widgetPath, widgets } from '../widgets.ts';

contract('custom resources', (it) => {
  it('an object is created, with a generation and its defaults', async (target) => {
    const body = await created(target, 'plain');
    expect(body.metadata).toMatchObject({ name: 'plain', namespace: target.namespace, generation: 1 });
    expect(body['spec']).toEqual({ size: 1, colour: 'green', nested: { depth: 5 } });
  });

  it('a bad name is refused', async (target) => {
    refused(
      target,
      await create(target, 'Bad_Name'),
      invalid(
        'Widget.NAMESPACE.example.com',
        'Bad_Name',
        `metadata.name: Invalid value: "Bad_Name": ${dnsSubdomain}`,
      ),
    );
  });

  it('a finalizer of a custom resource needs no domain', async (target) => {
    const metadata = { name: 'held', finalizers: ['plain'] };
    const { code } = await target.api.post(widgetPath(target), widget(target, 'held', {}, { metadata }), {
      query: { dryRun: 'All' },
    });
    expect(code).toBe(201);
  });

  it('a rule may look at what was before, if anything was', async (target) => {
    const refusal = (name: string) =>
      invalid(
        'Widget.NAMESPACE.example.com',
        name,
        'spec.risen: Invalid value: "b": risen begins with a, and never falls',
      );
    refused(target, await create(target, 'late', { risen: 'b' }), refusal('late'));
    await created(target, 'rising', { risen: 'a' });
    const set = (risen: string) =>
      target.api.patch(widgetPath(target, 'rising'), 'merge', { spec: { risen } });
    expect((await set('c')).code).toBe(200);
    refused(target, await set('b'), refusal('rising'));
  });

  it('what no schema describes can be applied, lists of objects, too', async (target) => {
    const free = { list: [{ a: 1, b: [{ c: 'd' }] }, 'text'], map: { e: [[1]] } };
    await widgets(target);
    const { code, body } = await target.api.patch(
      widgetPath(target, 'applied'),
      'apply',
      widget(target, 'applied', { free }),
      { query: { fieldManager: 'me' } },
    );
    expect(code).toBe(201);
    expect(body['spec']).toMatchObject({ free });
  });

  it('another kind is refused', async (target) => {
    refused(
      target,
      await create(target, 'bad', {}, { kind: 'Gadget' }),
      invalid(
        'Gadget.NAMESPACE.example.com',
        'bad',
        'kind: Invalid value: "Gadget": must be Widget',
        `spec: Invalid value: "object": no such key: colour evaluating rule: self.colour != 'red' || self.size > 1`,
      ),
    );
  });

  it('another version is refused', async (target) => {
    refused(
      target,
      await create(target, 'bad', {}, { apiVersion: `${groupOf(target)}/v1beta1` }),
      badRequest(
        'the API version in the data (NAMESPACE.example.com/v1beta1) does not match the expected API version (NAMESPACE.example.com/v1)',
      ),
    );
  });

  it('a taken name is told with its group', async (target) => {
    await created(target, 'taken');
    refused(target, await create(target, 'taken'), alreadyExists('widgets.NAMESPACE.example.com', 'taken'));
  });

  it('what is not there is not found, with its group', async (target) => {
    await widgets(target);
    refused(
      target,
      await target.api.get(widgetPath(target, 'nobody')),
      notFound('widgets.NAMESPACE.example.com', 'nobody'),
    );
  });

  it('generation counts changes of anything but metadata and status', async (target) => {
    await created(target, 'counted');
    const path = widgetPath(target, 'counted');
    const steps = [
      { metadata: { labels: { a: 'b' } } },
      { spec: { size: 5 } },
      { status: { phase: 'lost' } },
    ];
    const seen = [];
    for (const step of steps)
      seen.push((await target.api.patch(path, 'merge', step)).body.metadata.generation);
    expect(seen).toEqual([1, 2, 2]);
  });

  it('the status is written on its own path only', async (target) => {
    await created(target, 'status');
    const path = widgetPath(target, 'status');
    const change = { spec: { size: 50 }, status: { phase: 'Ready' } };
    const { body } = await target.api.patch(`${path}/status`, 'merge', change);
    expect([body['spec'], body['status']]).toMatchObject([{ size: 1 }, { phase: 'Ready' }]);
    const { body: after } = await target.api.patch(path, 'merge', { status: { phase: 'Lost' } });
    expect(after['status']).toEqual({ phase: 'Ready' });
  });

  it('the scale reads and writes the paths that the definition names', async (target) => {
    await created(target, 'scaled', { replicas: 2 });
    const path = widgetPath(target, 'scaled');
    await target.api.patch(`${path}/status`, 'merge', { status: { replicas: 1, selector: 'a=b' } });
    const { body } = await target.api.get(`${path}/scale`);
    expect(body).toMatchObject({
      kind: 'Scale',
      spec: { replicas: 2 },
      status: { replicas: 1, selector: 'a=b' },
    });
    await target.api.patch(`${path}/scale`, 'merge', { spec: { replicas: 7 } });
    expect((await target.api.get(path)).body['spec']).toMatchObject({ replicas: 7 });
  });

  it('a strategic patch is not for custom resources', async (target) => {
    await created(target, 'strategic');
    refused(
      target,
      await target.api.patch(widgetPath(target, 'strategic'), 'strategic', { spec: { size: 2 } }),
      {
        code: 415,
        reason: 'UnsupportedMediaType',
        message:
          'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
      },
    );
  });

  it('a JSON patch is', async (target) => {
    await created(target, 'json');
    const patch = [{ op: 'replace', path: '/spec/size', value: 9 }];
    const { code, body } = await target.api.patch(widgetPath(target, 'json'), 'json', patch);
    expect([code, body['spec']]).toMatchObject([200, { size: 9 }]);
  });

  it('an update without a version is refused', async (target) => {
    await created(target, 'put');
    refused(
      target,
      await target.api.put(widgetPath(target, 'put'), widget(target, 'put', { size: 2 })),
      invalid(
        'widgets.NAMESPACE.example.com',
        'put',
        'metadata.resourceVersion: Invalid value: 0: must be specified for an update',
      ),
    );
  });

  it('an update with an older version is a conflict', async (target) => {
    const before = await created(target, 'raced');
    await target.api.patch(widgetPath(target, 'raced'), 'merge', { spec: { size: 2 } });
    refused(
      target,
      await target.api.put(widgetPath(target, 'raced'), before),
      conflict('widgets.NAMESPACE.example.com', 'raced', modified),
    );
  });

  it('a watch tells of them', async (target) => {
    await widgets(target);
    await using watch = await target.api.watch(widgetPath(target), { labelSelector: 'watched=yes' });
    await target.api.post(widgetPath(target), {
      ...widget(target, 'w'),
      metadata: { name: 'watched', labels: { watched: 'yes' } },
    });
    await target.api.delete(widgetPath(target, 'watched'));
    expect(told(await watch.next(2))).toEqual(['ADDED watched', 'DELETED watched']);
  });

  it('they are selected by the fields that the definition names', async (target) => {
    await created(target, 'selected', { colour: 'red', size: 2 });
    const list = async (fieldSelector: string) =>
      (await target.api.get(widgetPath(target), { query: { fieldSelector } })).body.items.map(
        ({ metadata }) => metadata.name,
      );
    expect(await list('spec.colour=red')).toEqual(['selected']);
    expect(await list('spec.colour=red,metadata.name=other')).toEqual([]);
  });

  it('other fields cannot be selected', async (target) => {
    await widgets(target);
    refused(
      target,
      await target.api.get(widgetPath(target), { query: { fieldSelector: 'spec.size=1' } }),
      badRequest('field label not supported: spec.size'),
    );
  });

  it('a table has the columns of the definition', async (target) => {
    await created(target, 'shown', { size: 8 });
    const headers = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };
    const { body } = await target.api.get(widgetPath(target, 'shown'), { headers });
    const { columnDefinitions, rows } = body as unknown as {
      columnDefinitions: { name: string; type: string; priority: number }[];
      rows: { cells: unknown[] }[];
    };
    expect(columnDefinitions.map(({ name, type, priority }) => `${name}:${type}:${priority}`)).toEqual([
      'Name:string:0',
      'Size:integer:0',
      'Colour:string:0',
      'Phase:string:1',
      'Age:date:0',
    ]);
    expect(rows[0]?.cells).toEqual(['shown', 8, 'green', null, expect.stringMatching(/^\d+(s|m\d*s?)$/)]);
  });

  it('every served version shows the same object', async (target) => {
    await created(target, 'versions', { size: 4 });
    const { body } = await target.api.get(target.group(`${groupOf(target)}/v1beta1`, 'widgets/versions'));
    expect(body).toMatchObject({ apiVersion: `${groupOf(target)}/v1beta1`, spec: { size: 4 } });
  });

  it('a collection is deleted', async (target) => {
    await widgets(target);
    await target.api.post(widgetPath(target), {
      ...widget(target, 'x'),
      metadata: { name: 'collected', labels: { collect: 'yes' } },
    });
    const { code } = await target.api.delete(widgetPath(target), undefined, {
      query: { labelSelector: 'collect=yes' },
    });
    expect([code, (await target.api.get(widgetPath(target, 'collected'))).code]).toEqual([200, 404]);
  });
});
