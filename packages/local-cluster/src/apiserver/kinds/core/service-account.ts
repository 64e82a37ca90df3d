import { dnsSubdomain } from '../../meta/names.ts';
import { ageColumn, nameColumn } from '../../representation/columns.ts';
import { defineKind } from '../define-kind.ts';

export const serviceAccount = defineKind({
  group: '',
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  shortNames: ['sa'],
  storageVersionHash: 'pbx9ZvyFpBE=',
  definition: 'io.k8s.api.core.v1.ServiceAccount',
  returnsDeleted: true,
  otherSubresources: [
    { name: 'token', kind: 'TokenRequest', group: 'authentication.k8s.io', version: 'v1', verbs: ['create'] },
  ],
  strategy: { nameRule: dnsSubdomain },
  columns: [nameColumn, ageColumn],
});
