import type { KubeObject } from '@trimtab/kube/wire.ts';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { Rule } from '../../core/installation/rights.ts';
import type { ManifestOptions } from './installation.ts';
import { printManifests } from './print-manifests.ts';

type Printed = KubeObject & { rules?: Rule[]; spec?: Record<string, unknown>; webhooks?: Webhook[] };

interface Webhook {
  clientConfig: object;
  failurePolicy: string;
  rules: { resources: string[] }[];
  namespaceSelector: object;
  matchConditions: { expression: string }[];
}

function printed(options: ManifestOptions = {}): Printed[] {
  return parseAllDocuments(printManifests(options)).map((document) => document.toJS());
}

const rulesOf = (objects: Printed[], namespace?: string) =>
  objects
    .filter(({ kind, metadata }) => kind?.endsWith('Role') && metadata.namespace === namespace)
    .filter(({ metadata }) => !/^trimtab-(view|edit|(secret-)?(reader|releaser))$/.test(metadata.name ?? ''))
    .flatMap(({ rules }) => rules ?? []);

describe('trimtab manifests', () => {
  test('is one YAML document for each object, each with a name of its own', () => {
    const objects = printed();
    const ids = objects.map(({ kind, metadata }) => `${kind}/${metadata.namespace ?? ''}/${metadata.name}`);
    expect(new Set(ids).size).toBe(objects.length);
    expect(ids).toContain('CustomResourceDefinition//configrollouts.trimtab.dev');
    expect(ids[2]).toBe('Namespace//trimtab-system');
  });

  test('gives the controller no wildcard and no right to extend its rights', () => {
    for (const { apiGroups, resources, verbs } of printed().flatMap(({ rules }) => rules ?? [])) {
      expect([...apiGroups, ...resources, ...verbs].join(' ')).not.toMatch(
        /\*|escalate|\bbind\b|impersonate|rbac/,
      );
    }
  });

  test('without Secrets, there is no role for them, and only its own certificate is within reach', () => {
    const names = printed({ secrets: false }).map(({ metadata }) => metadata.name);
    expect(names).toContain('trimtab-releaser');
    expect(names).not.toContain('trimtab-secret-releaser');
    const about = rulesOf(printed({ secrets: false })).filter(({ resources }) =>
      resources.includes('secrets'),
    );
    expect(about).toEqual([]);
    const own = rulesOf(printed({ secrets: false }), 'trimtab-system').filter(
      ({ resources, verbs }) => resources.includes('secrets') && !verbs.includes('create'),
    );
    expect(own).toEqual([
      {
        apiGroups: [''],
        resources: ['secrets'],
        verbs: ['get', 'update'],
        resourceNames: ['trimtab-webhook'],
      },
    ]);
  });

  test('for several namespaces: a role in each, and no admission rule selects another', () => {
    const objects = printed({ namespaces: ['a', 'b'], homeNamespace: 'config-system', inject: true });
    const roles = objects.filter(
      ({ kind, metadata }) => kind === 'Role' && metadata.name === 'trimtab-config-system',
    );
    expect(roles.map(({ metadata }) => metadata.namespace)).toEqual(['a', 'b']);
    expect(rulesOf(objects).filter(({ resources }) => resources.includes('configmaps'))).toEqual([]);
    const selected = { key: 'kubernetes.io/metadata.name', operator: 'In', values: ['a', 'b'] };
    for (const { kind, spec } of objects.filter(({ kind }) => kind === 'ValidatingAdmissionPolicy'))
      expect(spec?.['matchConstraints'], kind).toMatchObject({
        namespaceSelector: { matchExpressions: [selected] },
      });
    for (const { namespaceSelector } of objects.flatMap(({ webhooks = [] }) => webhooks))
      expect(namespaceSelector).toMatchObject({ matchExpressions: expect.arrayContaining([selected]) });
  });

  test('in another home namespace: everything of the controller is there, and the policies exempt its user', () => {
    const objects = printed({ homeNamespace: 'config-system', mutatingPolicies: true, inject: true });
    expect(JSON.stringify(objects)).not.toContain('trimtab-system');
    expect(JSON.stringify(objects)).toContain('system:serviceaccount:config-system:trimtab-controller');
    const names = objects.map(({ kind, metadata }) => `${kind}/${metadata.name}`);
    const [usual] = [printed({ mutatingPolicies: true, inject: true })];
    const clusterScoped = usual
      .filter(
        ({ kind, metadata }) =>
          metadata.namespace === undefined && !['Namespace', 'CustomResourceDefinition'].includes(kind ?? ''),
      )
      .filter(
        ({ metadata }) => !/^trimtab-(view|edit|(secret-)?(reader|releaser))$/.test(metadata.name ?? ''),
      )
      .map(({ kind, metadata }) => `${kind}/${metadata.name}`);
    expect(names.filter((name) => clusterScoped.includes(name))).toEqual([]);
  });

  test('for one namespace: rights, guards and webhook know no other, and names do not collide', () => {
    const [team, other] = [printed({ namespaces: ['team'] }), printed({ namespaces: ['other'] })];
    expect(rulesOf(team)).toEqual([
      {
        apiGroups: ['admissionregistration.k8s.io'],
        resources: ['mutatingwebhookconfigurations'],
        verbs: ['get', 'update'],
        resourceNames: ['trimtab-team-workloads'],
      },
      {
        apiGroups: ['admissionregistration.k8s.io'],
        resources: ['validatingadmissionpolicies', 'validatingadmissionpolicybindings'],
        verbs: ['get'],
        resourceNames: ['trimtab-team-pod-references'],
      },
    ]);
    const selector = { matchLabels: { 'kubernetes.io/metadata.name': 'team' } };
    for (const { kind, spec, webhooks } of team) {
      if (kind === 'ValidatingAdmissionPolicy')
        expect(spec?.['matchConstraints']).toMatchObject({ namespaceSelector: selector });
      for (const webhook of webhooks ?? []) expect(webhook.namespaceSelector).toMatchObject(selector);
    }
    const clusterWide = ({ kind, metadata }: Printed) =>
      metadata.namespace === undefined && /Policy|Webhook|ClusterRoleBinding/.test(kind ?? '');
    const names = [team, other].flatMap((objects) =>
      objects.filter(clusterWide).map(({ kind, metadata }) => `${kind} ${metadata.name}`),
    );
    expect(new Set(names).size).toBe(names.length);
  });

  test('for a controller outside of the cluster has its address and no Service', () => {
    const objects = printed({ webhookUrl: 'https://10.0.0.7:9443' });
    expect(objects.map(({ kind }) => kind)).not.toContain('Service');
    const [webhook] = objects.flatMap(({ webhooks }) => webhooks ?? []);
    expect(webhook?.clientConfig).toEqual({ url: 'https://10.0.0.7:9443/mutate-workloads' });
  });

  test('the webhooks are asked about workloads, ConfigRollouts and pods, never about a config', () => {
    const webhooks = printed().flatMap((object) => object.webhooks ?? []);
    expect(webhooks.flatMap(({ rules }) => rules.flatMap(({ resources }) => resources))).toEqual([
      'deployments',
      'statefulsets',
      'daemonsets',
      'configrollouts',
      'pods',
      'pods/ephemeralcontainers',
    ]);
  });

  test('the webhooks keep nobody out, except a pod that would run the live config, and never one of Kubernetes or Trimtab itself', () => {
    for (const { failurePolicy, rules, matchConditions, namespaceSelector } of printed().flatMap(
      ({ webhooks }) => webhooks ?? [],
    )) {
      const isAboutPods = rules.some(({ resources }) => resources.some((each) => each.startsWith('pods')));
      expect(failurePolicy).toBe(isAboutPods ? 'Fail' : 'Ignore');
      if (!isAboutPods) continue;
      expect(JSON.stringify(matchConditions)).toContain('trimtab.dev/versions');
      expect(namespaceSelector).toMatchObject({
        matchExpressions: [{ operator: 'NotIn', values: ['kube-system', 'trimtab-system'] }],
      });
    }
  });

  test('the annotation of a pod is split once, however many references the pod has: the cost of expressions is limited', () => {
    const splits = (text: unknown) => JSON.stringify(text ?? '').split(".split(',')").length - 1;
    for (const mutatingPolicies of [false, true])
      for (const { metadata, spec, webhooks } of printed({ mutatingPolicies })) {
        if (!/(pod-references|ephemeral-containers)$/.test(metadata.name ?? '')) {
          for (const { matchConditions } of webhooks ?? [])
            expect(splits(matchConditions)).toBeLessThanOrEqual(1);
          continue;
        }
        expect(splits(spec?.['validations'])).toBe(0);
        expect(splits(spec?.['mutations'])).toBe(0);
        expect(splits(spec?.['matchConditions'])).toBeLessThanOrEqual(1);
      }
  });

  test('the guard of pods has no expression that Kubernetes before 1.33 cannot read, unless there are mutating policies', () => {
    const guards = (options: ManifestOptions) =>
      JSON.stringify(printed(options).filter(({ kind }) => kind === 'ValidatingAdmissionPolicy'));
    expect(guards({})).not.toContain('transform');
    expect(guards({ mutatingPolicies: true })).toContain('transformMapEntry');
  });

  test('policies that change objects are printed when they are asked for, and the guard of pods always', () => {
    const kinds = (options: ManifestOptions) =>
      printed(options)
        .filter(({ kind }) => kind?.endsWith('Policy'))
        .map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    const guards = [
      'ValidatingAdmissionPolicy trimtab-pod-references',
      'ValidatingAdmissionPolicy trimtab-ephemeral-containers',
    ];
    expect(kinds({ webhook: false })).toEqual(expect.arrayContaining(guards));
    expect(kinds({}).filter((each) => each.startsWith('Mutating'))).toEqual([]);
    expect(kinds({ mutatingPolicies: true }).filter((each) => each.startsWith('Mutating'))).toEqual([
      'MutatingAdmissionPolicy trimtab-moves',
      'MutatingAdmissionPolicy trimtab-pod-references',
      'MutatingAdmissionPolicy trimtab-ephemeral-containers',
    ]);
  });

  test("Reloader's annotations lead to the webhook only when they are obeyed", () => {
    const conditions = (options: ManifestOptions) =>
      JSON.stringify(printed(options).flatMap(({ webhooks }) => webhooks ?? []));
    expect(conditions({})).not.toContain('reloader');
    expect(conditions({ reloaderAnnotations: true })).toMatch(
      /object\.metadata\.[^|]*reloader\.stakater\.com.*object\.spec\.template\.[^|]*reloader\.stakater\.com/,
    );
  });

  test('gives the right to watch what only Reloader updates only where its annotations are read', () => {
    const ofOthers = (options: ManifestOptions) =>
      rulesOf(printed(options)).filter(({ apiGroups }) =>
        ['batch', 'argoproj.io'].includes(apiGroups[0] ?? ''),
      );
    expect(ofOthers({})).toEqual([]);
    expect(ofOthers({ reloaderAnnotations: true })).toEqual([
      { apiGroups: ['batch'], resources: ['jobs', 'cronjobs'], verbs: ['list', 'watch'] },
      { apiGroups: ['argoproj.io'], resources: ['rollouts'], verbs: ['list', 'watch'] },
    ]);
  });

  test('gives the right to watch namespaces only where their labels are read', () => {
    const ofNamespaces = (options: ManifestOptions) =>
      rulesOf(printed(options)).filter(
        ({ resources, verbs }) => resources.includes('namespaces') && verbs.includes('watch'),
      );
    expect(ofNamespaces({})).toEqual([]);
    expect(ofNamespaces({ namespaces: ['shop'], watchNamespaces: true })).toEqual([
      { apiGroups: [''], resources: ['namespaces'], verbs: ['list', 'watch'] },
    ]);
  });
});
