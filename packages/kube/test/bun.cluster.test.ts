import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { bunBinary } from '@trimtab/test-bed/bun-binary.ts';
import { currentEngine, type Engine } from '@trimtab/test-bed/engines/engine.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';

let engine: Engine;

beforeAll(async () => {
  engine = await currentEngine();
});

afterAll(() => engine?.close());

async function runUnderBun(program: URL, input: string): Promise<string> {
  const path = fileURLToPath(program);
  const child = spawn(bunBinary(), ['run', path], { stdio: 'pipe' });
  child.stdin.end(input);
  const [stdout, stderr, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise((resolve) => child.once('close', resolve)),
  ]);
  if (code !== 0) throw new Error(`${path} ended with ${code} under Bun:\n${stderr}`);
  return stdout;
}

test('the client does under Bun what it does under Node', async () => {
  const namespace = await engine.namespace();
  const access = await engine.access();
  const { ca = '', cert = '', key = '' } = await access.tls();
  const input = { server: access.server, namespace, ca: String(ca), cert: String(cert), key: String(key) };
  const seen: unknown = JSON.parse(
    await runUnderBun(new URL('./bun-program.ts', import.meta.url), JSON.stringify(input)),
  );
  expect(seen).toEqual({
    runtime: 'Bun',
    created: { text: 'Zürich 🚢' },
    again: true,
    conflict: true,
    read: 500_000,
    partial: { kind: 'PartialObjectMetadata', data: 'none' },
    listed: true,
    missing: true,
    watched: ['ADDED', 'MODIFIED', 'DELETED'],
    burst: 200,
    refused: 'ECONNREFUSED, sent: no',
    untrusted: expect.stringMatching(/^(UNABLE_TO_VERIFY|SELF_SIGNED)_\w+, sent: no$/),
    otherName: 'ERR_TLS_CERT_ALTNAME_INVALID, sent: no',
  });
});
