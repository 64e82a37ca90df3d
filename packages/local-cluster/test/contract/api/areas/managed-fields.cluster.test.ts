import { expect } from 'vitest';
import { contract } from '../contract.ts';
import { applyAs, entriesOf, ownersOf } from '../managers.ts';
import { configMap, deployment, pod, service } from '../objects.ts';
import type { Target } from '../target.ts';
import { widget, widgetPath, widgets } from '../widgets.ts';

const as = (fieldManager: string) => ({ query: { fieldManager } });
const entry = (manager: string, fieldsV1: object) => ({
  manager,
  operation: 'Update',
  apiVersion: 'v1',
  fieldsType: 'FieldsV1',
  fieldsV1,
});

async function make({ api, core }: Target, name: string, data: object = { a: '1' }, manager = 'maker') {
  const answer = await api.post(core('configmaps'), configMap(name, { data }), as(manager));
  expect(answer.code).toBe(201);
  return answer;
}

contract('managed fields', (it) => {
  it('who creates owns each field, under the name that it gives', async (target) => {
    const { api, core } = target;
    const meta = {
      name: 'whole',
      labels: { a: 'b' },
      annotations: { c: 'd' },
      finalizers: ['example.com/stay'],
      ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'x', uid: 'some-uid' }],
    };
    const answer = await api.post(
      core('configmaps'),
      configMap(meta, { data: { k: 'v' }, immutable: false }),
      as('me'),
    );
    await api.patch(core('configmaps/whole'), 'merge', { metadata: { finalizers: null } });
    expect(ownersOf(answer)).toEqual({
      'Update me': {
        'f:data': { '.': {}, 'f:k': {} },
        'f:immutable': {},
        'f:metadata': {
          'f:annotations': { '.': {}, 'f:c': {} },
          'f:finalizers': { '.': {}, 'v:"example.com/stay"': {} },
          'f:labels': { '.': {}, 'f:a': {} },
          'f:ownerReferences': { '.': {}, 'k:{"uid":"some-uid"}': {} },
        },
      },
    });
  });

  it('a program that gives no name at all is unknown', async ({ api, core }) => {
    const answer = await api.post(core('configmaps'), configMap('unknown', { data: { a: '1' } }));
    expect(Object.keys(ownersOf(answer))).toEqual(['Update unknown']);
  });

  it('the name of a program ends with the first slash, and what cannot be printed is left out', async ({
    api,
    core,
  }) => {
    const headers = { 'user-agent': 'a\tb c/1.0 (linux/amd64)' };
    const answer = await api.post(core('configmaps'), configMap('named', { data: { a: '1' } }), { headers });
    expect(Object.keys(ownersOf(answer))).toEqual(['Update ab c']);
  });

  it('who changes a field takes it over, and who made the rest keeps it', async (target) => {
    const { api, core } = target;
    await make(target, 'changed', { a: '1', b: '2' });
    const answer = await api.put(
      core('configmaps/changed'),
      configMap('changed', { data: { a: '1', b: '3', c: '4' } }),
      as('changer'),
    );
    expect(ownersOf(answer)).toEqual({
      'Update changer': { 'f:data': { 'f:b': {}, 'f:c': {} } },
      'Update maker': { 'f:data': { '.': {}, 'f:a': {} } },
    });
  });

  it('who writes what is there already owns nothing by it, and no time moves', async (target) => {
    const { api, core } = target;
    const before = await make(target, 'same');
    const answer = await api.put(
      core('configmaps/same'),
      configMap('same', { data: { a: '1' } }),
      as('another'),
    );
    expect(entriesOf(answer)).toEqual(entriesOf(before));
    expect(answer.body.metadata.resourceVersion).toBe(before.body.metadata.resourceVersion);
  });

  it('a field that goes is nobody’s', async (target) => {
    const { api, core } = target;
    await make(target, 'less', { a: '1', b: '2' });
    const answer = await api.patch(core('configmaps/less'), 'merge', { data: { a: null } }, as('remover'));
    expect(ownersOf(answer)).toEqual({ 'Update maker': { 'f:data': { '.': {}, 'f:b': {} } } });
  });

  for (const [type, patch] of [
    ['json', [{ op: 'add', path: '/data/p', value: '1' }]],
    ['merge', { data: { p: '1' } }],
    ['strategic', { data: { p: '1' } }],
  ] as const)
    it(`a ${type} patch owns what it adds`, async (target) => {
      await make(target, `patched-${type}`);
      const path = target.core(`configmaps/patched-${type}`);
      expect(ownersOf(await target.api.patch(path, type, patch, as('patcher')))).toEqual({
        'Update maker': { 'f:data': { '.': {}, 'f:a': {} } },
        'Update patcher': { 'f:data': { 'f:p': {} } },
      });
    });

  it('an object in which nobody owns anything has no record, and gets none', async (target) => {
    const { api, core } = target;
    expect(ownersOf(await api.post(core('configmaps'), configMap('bare'), as('me')))).toEqual({});
    const answer = await api.patch(core('configmaps/bare'), 'merge', { data: { a: '1' } }, as('me'));
    expect(ownersOf(answer)).toEqual({});
  });

  for (const [how, value] of [
    ['one empty entry', [{}]],
    ['an empty list', []],
  ] as const)
    it(`${how} throws the record away, until somebody applies`, async (target) => {
      const { api, core } = target;
      const name = `reset-by-${value.length}`;
      await make(target, name);
      const path = core(`configmaps/${name}`);
      const patch = [{ op: 'replace', path: '/metadata/managedFields', value }];
      expect(ownersOf(await api.patch(path, 'json', patch, as('me')))).toEqual({});
      expect(ownersOf(await api.patch(path, 'merge', { data: { b: '2' } }, as('me')))).toEqual({});
      const applied = await applyAs(target, path, 'applier', configMap(name, { data: { c: '3' } }));
      expect(ownersOf(applied)).toEqual({
        'Apply applier': { 'f:data': { 'f:c': {} } },
        'Update before-first-apply': { 'f:data': { '.': {}, 'f:a': {}, 'f:b': {} } },
      });
    });

  it('a record that is sent along is taken, where it makes sense', async (target) => {
    const { api, core } = target;
    await make(target, 'sent');
    const put = (managed: object[], data: object) =>
      api.put(
        core('configmaps/sent'),
        configMap({ name: 'sent', managedFields: managed }, { data }),
        as('sender'),
      );
    const mine = entry('somebody', { 'f:data': { 'f:a': {} } });
    expect(ownersOf(await put([mine], { a: '1' }))).toEqual({
      'Update somebody': { 'f:data': { 'f:a': {} } },
    });
    for (const wrong of [
      { ...mine, operation: 'Steal' },
      { ...mine, apiVersion: '' },
      { ...mine, fieldsType: 'FieldsV2' },
      { ...mine, fieldsV1: { data: {} } },
    ])
      expect(ownersOf(await put([wrong], { a: '1' }))).toEqual({
        'Update somebody': { 'f:data': { 'f:a': {} } },
      });
  });

  it('a creation may bring a record, but not for what it makes itself', async ({ api, core }) => {
    const managed = [entry('earlier', { 'f:data': { 'f:a': {}, 'f:z': {} } })];
    const answer = await api.post(
      core('configmaps'),
      configMap({ name: 'brought', managedFields: managed }, { data: { a: '1' } }),
      as('me'),
    );
    expect(ownersOf(answer)).toEqual({
      'Update earlier': { 'f:data': { 'f:z': {} } },
      'Update me': { 'f:data': { '.': {}, 'f:a': {} } },
    });
  });

  it('only ten updaters are told apart: the oldest become one', async (target) => {
    const { api, core } = target;
    await make(target, 'crowd', { k0: '0' }, 'm0');
    for (let index = 1; index < 12; index++)
      await api.patch(core('configmaps/crowd'), 'merge', { data: { [`k${index}`]: '1' } }, as(`m${index}`));
    const owners = ownersOf(await api.get(core('configmaps/crowd')));
    expect(Object.keys(owners)).toHaveLength(10);
    expect(owners).toHaveProperty('Update ancient-changes');
  });

  it('containers, ports and variables are owned one by one, a selector as a whole', async ({ api, apps }) => {
    const spec = {
      containers: [
        {
          name: 'app',
          image: 'app:1',
          ports: [{ containerPort: 80 }],
          env: [{ name: 'A', value: '1' }],
          volumeMounts: [{ name: 'v', mountPath: '/v' }],
        },
      ],
      volumes: [{ name: 'v', configMap: { name: 'foo' } }],
    };
    const labels = { app: 'app' };
    const object = deployment('parts', { template: { metadata: { labels }, spec } });
    expect(ownersOf(await api.post(apps('deployments'), object, as('me')))).toMatchObject({
      'Update me': {
        'f:spec': {
          'f:selector': {},
          'f:template': {
            'f:metadata': { 'f:labels': { '.': {}, 'f:app': {} } },
            'f:spec': {
              'f:containers': {
                'k:{"name":"app"}': {
                  '.': {},
                  'f:env': { '.': {}, 'k:{"name":"A"}': { '.': {}, 'f:name': {}, 'f:value': {} } },
                  'f:name': {},
                  'f:ports': {
                    '.': {},
                    'k:{"containerPort":80,"protocol":"TCP"}': {
                      '.': {},
                      'f:containerPort': {},
                      'f:protocol': {},
                    },
                  },
                  'f:volumeMounts': {
                    '.': {},
                    'k:{"mountPath":"/v"}': { '.': {}, 'f:mountPath': {}, 'f:name': {} },
                  },
                },
              },
              'f:volumes': {
                '.': {},
                'k:{"name":"v"}': {
                  '.': {},
                  'f:configMap': { '.': {}, 'f:defaultMode': {}, 'f:name': {} },
                  'f:name': {},
                },
              },
            },
          },
        },
      },
    });
  });

  it('what the server fills in belongs to who wrote the rest', async ({ api, core }) => {
    const query = { fieldManager: 'me', dryRun: 'All' };
    const ofPod = ownersOf(await api.post(core('pods'), pod('filled'), { query }));
    expect(ofPod).toMatchObject({ 'Update me': { 'f:spec': { 'f:restartPolicy': {}, 'f:dnsPolicy': {} } } });
    expect(ofPod['Update me']).not.toHaveProperty('f:status');
    const ofService = await api.post(core('services'), service('filled', { ports: [{ port: 80 }] }), {
      query,
    });
    expect(ownersOf(ofService)).toEqual({
      'Update me': {
        'f:spec': {
          'f:internalTrafficPolicy': {},
          'f:ports': {
            '.': {},
            'k:{"port":80,"protocol":"TCP"}': {
              '.': {},
              'f:port': {},
              'f:protocol': {},
              'f:targetPort': {},
            },
          },
          'f:sessionAffinity': {},
          'f:type': {},
        },
      },
    });
  });

  it('who writes the status owns nothing else', async ({ api, core }) => {
    await api.post(core('pods'), pod('reported'), as('maker'));
    const answer = await api.patch(
      core('pods/reported/status'),
      'merge',
      { spec: { containers: null }, status: { message: 'hello' }, metadata: { labels: { a: 'b' } } },
      as('reporter'),
    );
    expect(ownersOf(answer)['Update reporter status']).toEqual({
      'f:metadata': { 'f:labels': { '.': {}, 'f:a': {} } },
      'f:status': { 'f:message': {} },
    });
  });

  it('who sends a status where it is not written does not own it', async ({ api, apps }) => {
    const sent = { ...deployment('unreported'), status: { observedGeneration: 7 } };
    const answer = await api.post(apps('deployments'), sent, as('me'));
    expect(ownersOf(answer)['Update me']).not.toHaveProperty('f:status');
  });

  it('who scales owns the number of replicas, if somebody owned it before', async ({ api, apps }) => {
    await api.post(apps('deployments'), deployment('scaled', { paused: true }), as('maker'));
    const scale = { spec: { replicas: 1 } };
    await api.patch(apps('deployments/scaled/scale'), 'merge', scale, as('scaler'));
    const owners = ownersOf(await api.get(apps('deployments/scaled')));
    expect(owners['Update scaler scale']).toEqual({ 'f:spec': { 'f:replicas': {} } });
    expect(owners['Update maker']).not.toHaveProperty('f:spec.f:replicas');
    await api.patch(apps('deployments/scaled/scale'), 'merge', { spec: { replicas: 0 } }, as('scaler'));
  });

  it('custom resources are owned as their schema says', async (target) => {
    await widgets(target);
    const spec = {
      tags: ['t1', 't2'],
      parts: [{ name: 'p', count: 2 }],
      labels: { a: 'b' },
      free: { deep: { list: [1, 2] } },
      share: '50%',
    };
    const answer = await target.api.post(widgetPath(target), widget(target, 'owned', spec), as('me'));
    expect(ownersOf(answer)).toEqual({
      'Update me': {
        'f:spec': {
          '.': {},
          'f:colour': {},
          'f:free': { '.': {}, 'f:deep': { '.': {}, 'f:list': {} } },
          'f:labels': { '.': {}, 'f:a': {} },
          'f:nested': { '.': {}, 'f:depth': {} },
          'f:parts': { '.': {}, 'k:{"name":"p"}': { '.': {}, 'f:count': {}, 'f:name': {} } },
          'f:share': {},
          'f:size': {},
          'f:tags': { '.': {}, 'v:"t1"': {}, 'v:"t2"': {} },
        },
      },
    });
  });

  it('the status of a custom resource has owners of its own', async (target) => {
    await widgets(target);
    await target.api.post(widgetPath(target), widget(target, 'reported'), as('maker'));
    const answer = await target.api.patch(
      `${widgetPath(target, 'reported')}/status`,
      'merge',
      { metadata: { labels: { a: 'b' } }, spec: { size: 5 }, status: { phase: 'fine' } },
      as('reporter'),
    );
    expect(ownersOf(answer)['Update reporter status']).toEqual({
      'f:status': { '.': {}, 'f:phase': {} },
    });
  });

  it('a dry run tells who would own what', async ({ api, core }) => {
    const query = { fieldManager: 'dry', dryRun: 'All' };
    const answer = await api.post(core('configmaps'), configMap('dry', { data: { a: '1' } }), { query });
    expect(ownersOf(answer)).toEqual({ 'Update dry': { 'f:data': { '.': {}, 'f:a': {} } } });
  });

  it('those who apply are told first, then the others, each by time', async (target) => {
    const { api, core } = target;
    await make(target, 'told');
    await applyAs(target, core('configmaps/told'), 'z', configMap('told', { data: { z: '1' } }));
    await applyAs(target, core('configmaps/told'), 'b', configMap('told', { data: { b: '1' } }));
    const entries = entriesOf(await api.get(core('configmaps/told')));
    expect(entries.map(({ operation }) => operation)).toEqual(['Apply', 'Apply', 'Update']);
    const times = entries.slice(0, 2).map(({ time = '' }) => time);
    expect(times).toEqual(times.toSorted());
  });
});
