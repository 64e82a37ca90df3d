import { expect, test } from 'vitest';
import { holdsSecret } from './holds-secret.ts';

const holds = (text: string) => holdsSecret(Buffer.from(text));

test.each([
  ['a Secret', 'kind: Secret\nmetadata: {name: db}\ndata: {p: eA==}\n'],
  ['JSON', '{"apiVersion":"v1","kind":"Secret","metadata":{"name":"db"}}'],
  ['one of several objects', 'kind: ConfigMap\nmetadata: {name: a}\n---\nkind: "Secret"\n'],
  ['a List', 'kind: List\nitems:\n- kind: List\n  items: [{kind: Secret}]\n'],
  ['a SecretList, whose items have no kind', 'kind: SecretList\nitems:\n- data: {p: eA==}\n'],
  ['a Helm template', 'kind: Secret\ndata:\n  {{- range .Values.all }}\n  a: b\n'],
  ['a template with quotes', '{{ if .on }}\n"kind": \'Secret\' # of the database\n'],
])('a file with a Secret is found: %s', (_, text) => {
  expect(holds(text)).toBe(true);
});

test.each([
  ['a ConfigMap', 'kind: ConfigMap\nmetadata: {name: Secret}\ndata: {a: "kind: Secret"}\n'],
  ['a manifest in a ConfigMap', 'kind: ConfigMap\ndata:\n  a.yaml: |\n    kind: Secret\n'],
  ['a store of secrets', 'kind: SecretStore\n'],
  ['a sealed Secret', 'kind: SealedSecret\n'],
  ['properties', 'kind=Secret\n'],
  ['nothing', ''],
])('a file without a Secret is not: %s', (_, text) => {
  expect(holds(text)).toBe(false);
});
