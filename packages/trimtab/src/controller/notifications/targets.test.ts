import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readTargets } from './targets.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'trimtab-targets-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const secretUrl = 'https://hooks.example/services/T0/B0/hunter2';
const key = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
writeFileSync(path.join(folder, 'url'), `${secretUrl}\n`);
writeFileSync(path.join(folder, 'key'), `${key}\n`);

function read(text: string) {
  const file = path.join(folder, 'notifications.yaml');
  writeFileSync(file, text);
  return readTargets(file);
}

test('a file with all fields', async () => {
  const found = await read(`
cluster: prod
targets:
  - name: chat
    urlFile: url
    format: slack
    namespaces: [shop]
    outcomes: [rolled-back, rollback-failed]
    timeout: 5s
  - name: events
    url: https://events.example/trimtab
    signingKeyFile: key
`);
  if ('problems' in found) throw new Error(found.problems.join());
  expect(found.cluster).toBe('prod');
  const [chat, events] = found.targets;
  expect(chat).toMatchObject({
    ...{ name: 'chat', format: 'slack', namespaces: ['shop'], timeoutMs: 5_000, signingKeys: [] },
    outcomes: ['rolled-back', 'rollback-failed'],
  });
  expect(chat?.url.href).toBe(secretUrl);
  expect(events).toMatchObject({ format: 'cloudevents', timeoutMs: 10_000, namespaces: undefined });
  expect(events?.signingKeys).toHaveLength(1);
});

test('all problems are reported at once, without a URL or a key', async () => {
  const found = await read(`
cluster: 1
color: red
targets:
  - name: Chat
  - name: http
    url: http://hooks.example/hunter2
  - name: both
    url: ${secretUrl}
    urlFile: url
  - name: wrong
    url: hunter2
    format: mail
    outcomes: [failed]
    namespaces: []
    timeout: 5m
    signingKeyFile: url
    caFile: missing.pem
    retries: 3
  - name: user
    url: https://bob:hunter2@hooks.example
`);
  if (!('problems' in found)) throw new Error('accepted');
  expect(found.problems).toEqual([
    'the file: unknown field "color"',
    'cluster must be a string',
    'targets[0].name must be a lowercase RFC 1123 label',
    'target http: the URL must be https; allowHttp: true sends names of configs and users unencrypted',
    'target both: set either url or urlFile',
    'targets[3]: unknown field "retries"',
    'target wrong: format must be one of cloudevents, slack, teams',
    'target wrong: timeout must be a duration of at most 60s',
    'target wrong: the URL is not a valid https URL',
    'target wrong: signingKeyFile must have whsec_ and 24 to 64 bytes in base64 in each line',
    'target wrong: caFile cannot be read (ENOENT)',
    'target wrong: namespaces must be a list of strings that is not empty',
    'target wrong: outcomes must be among current, rolled-back, aborted, rollback-failed, stalled',
    'target user: the URL must not contain credentials',
  ]);
  expect(found.problems.join()).not.toContain('hunter2');
});

test.each([
  ['', 'the file must have one document'],
  ['targets: {}', 'targets must be a list'],
  ['targets: [', 'document 1 is not valid YAML'],
  [
    'targets:\n  - {name: a, url: "https://x"}\n  - {name: a, url: "https://x"}',
    'another target has the name a',
  ],
])('%j is refused', async (text, problem) => {
  expect(((await read(text)) as { problems: string[] }).problems.join()).toContain(problem);
});
