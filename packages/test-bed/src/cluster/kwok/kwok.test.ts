import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { kwokNode, surplusNodes } from './nodes.ts';

test.each(['node-stages.yaml', 'pod-stages.yaml', 'behaviour-stages.yaml'])(
  '%s holds stages with names',
  (name) => {
    const documents = parseAllDocuments(readFileSync(join(import.meta.dirname, name), 'utf8'));
    expect(documents.length).toBeGreaterThan(1);
    for (const document of documents) {
      expect('errors' in document ? document.errors : []).toEqual([]);
      expect(document.toJS()).toMatchObject({ kind: 'Stage', metadata: { name: expect.any(String) } });
    }
  },
);

test('nodes beyond the wanted number go, those of a test stay', () => {
  expect(surplusNodes(['kwok-node-0', 'kwok-node-2', 'mine', 'kwok-node-10'], 2)).toEqual([
    'kwok-node-2',
    'kwok-node-10',
  ]);
});

test('only beside a real node are KWOK nodes tainted', () => {
  expect(kwokNode(0, { tainted: false })).toMatchObject({ spec: {} });
  expect(kwokNode(0, { tainted: true })).toMatchObject({ spec: { taints: [{ effect: 'NoSchedule' }] } });
});
