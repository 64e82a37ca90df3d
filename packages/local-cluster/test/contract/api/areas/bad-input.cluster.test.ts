import { expect } from 'vitest';
import { contract } from '../contract.ts';
import type { Query } from '../http.ts';
import { configMap } from '../objects.ts';
import { badRequest, invalid, notAllowed, type Refusal, refuses } from '../statuses.ts';

const yaml = { headers: { 'content-type': 'application/yaml' } };
const mebibyte = 1024 * 1024;
const nested = (depth: number, open = '{"a":', inner = '1', close = '}') =>
  open.repeat(depth) + inner + close.repeat(depth);

const badTimeouts: [timeout: string, problem: string][] = [
  ['invalid', 'invalid duration "invalid"'],
  ['5', 'missing unit in duration "5"'],
  ['3x', 'unknown unit "x" in duration "3x"'],
  ['1m5', 'missing unit in duration "1m5"'],
];

const bodies: [what: string, body: string | Buffer, expected: Refusal][] = [
  [
    'nothing',
    '',
    badRequest(
      "the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: unexpected end of JSON input (<empty>)",
    ),
  ],
  [
    'an open brace',
    '{',
    badRequest(
      "the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: unexpected end of JSON input ({)",
    ),
  ],
  [
    'a text',
    '"text"',
    badRequest(
      `the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: json: cannot unmarshal string into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" } (227465787422)`,
    ),
  ],
  [
    'a number',
    '5',
    badRequest(
      `the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: json: cannot unmarshal number into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" } (35)`,
    ),
  ],
  [
    'null',
    'null',
    invalid('ConfigMap', '', 'metadata.name: Required value: name or generateName is required'),
  ],
  [
    'a list',
    '[]',
    badRequest(
      `the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" } (5b5d)`,
    ),
  ],
  [
    'an empty object',
    '{}',
    invalid('ConfigMap', '', 'metadata.name: Required value: name or generateName is required'),
  ],
  [
    'a comma too many',
    '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"},}',
    badRequest(
      `the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: invalid character '}' looking for beginning of object key string ({"apiVersion":"v1","kind":"Con ...)`,
    ),
  ],
  [
    'two objects',
    '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"x"}}{"kind":"ConfigMap"}',
    badRequest(
      `the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: invalid character '{' after top-level value ({"kind":"ConfigMap","apiVersio ...)`,
    ),
  ],
  [
    'single quotes',
    "{'kind':'ConfigMap'}",
    badRequest(
      "the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: invalid character '\\'' looking for beginning of object key string ({'kind':'ConfigMap'})",
    ),
  ],
  [
    'bytes that are no text',
    Buffer.from([0xff, 0xfe, 0x00, 0x01]),
    badRequest(
      "the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: invalid character 'ÿ' looking for beginning of value (fffe0001)",
    ),
  ],
  [
    'a byte in the middle that is no text',
    Buffer.from('{"kind": \u0001', 'latin1'),
    badRequest(
      "the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: invalid character '\\x01' looking for beginning of value ({\"kind\": \u0001)",
    ),
  ],
  [
    'a Secret that is none',
    '{"kind":"Secret","apiVersion":"v1","data":{"a":"???"}}',
    badRequest(
      'Secret in version "v1" cannot be handled as a ConfigMap: illegal base64 data at input byte 0',
    ),
  ],
  [
    'an open string',
    '{"kind":"ConfigMap',
    badRequest(
      `the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: unexpected end of JSON input ({"kind":"ConfigMap)`,
    ),
  ],
  [
    'a kind that is none',
    '{"apiVersion":"v1","kind":"Nonsense","metadata":{"name":"x"}}',
    badRequest(
      'Nonsense in version "v1" cannot be handled as a ConfigMap: no kind "Nonsense" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"',
    ),
  ],
  [
    'a kind that is a number',
    '{"apiVersion":"v1","kind":5}',
    badRequest(
      `the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind of type string ({"apiVersion":"v1","kind":5})`,
    ),
  ],
  [
    'a group that is none',
    '{"apiVersion":"a/b/c","kind":"ConfigMap","metadata":{"name":"x"}}',
    badRequest(
      'the object provided is unrecognized (must be of type ConfigMap): unexpected GroupVersion string: a/b/c ({"apiVersion":"a/b/c","kind":" ...)',
    ),
  ],
];

const yamlBodies: [what: string, body: string, expected: Refusal][] = [
  [
    'a tab for a blank',
    'kind: ConfigMap\n\tapiVersion: v1\n',
    badRequest(
      'the object provided is unrecognized (must be of type ConfigMap): yaml: line 2: found a tab character that violates indentation (6b696e643a20436f6e6669674d61700a0961706956657273696f6e3a2076 ...)',
    ),
  ],
  [
    'an alias of nothing',
    'kind: *nothing\n',
    badRequest(
      "the object provided is unrecognized (must be of type ConfigMap): yaml: unknown anchor 'nothing' referenced (6b696e643a202a6e6f7468696e670a)",
    ),
  ],
  [
    'a list',
    '- a\n- b\n',
    badRequest(
      `the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" } (2d20610a2d20620a)`,
    ),
  ],
];

contract('bad input', (it) => {
  for (const [what, body, expected] of bodies)
    it(
      `a body that is ${what} is refused`,
      refuses(({ api, core }) => api.post(core('configmaps'), body), expected),
    );

  for (const [what, body, expected] of yamlBodies)
    it(
      `a body in YAML with ${what} is refused`,
      refuses(({ api, core }) => api.post(core('configmaps'), body, yaml), expected),
    );

  it('a YAML bomb is refused, or harmless', async ({ api, core }) => {
    const levels = Array.from(
      { length: 9 },
      (_, n) =>
        `${String.fromCharCode(98 + n)}: &${String.fromCharCode(98 + n)} [${Array.from({ length: 9 }, () => `*${String.fromCharCode(97 + n)}`).join(',')}]`,
    );
    const bomb = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: bomb}\na: &a ["lol"]\n${levels.join('\n')}\n`;
    const { code, body } = await api.post(core('configmaps'), bomb, yaml);
    expect([code, body['message']]).toEqual([
      400,
      'the object provided is unrecognized (must be of type ConfigMap): yaml: document contains excessive aliasing (61706956657273696f6e3a2076310a6b696e643a20436f6e6669674d6170 ...)',
    ]);
  });

  it(
    'a body of more than 3 MiB is refused',
    refuses(
      ({ api, core }) =>
        api.post(core('configmaps'), configMap('x', { data: { a: 'x'.repeat(3 * mebibyte) } })),
      { code: 413, reason: 'RequestEntityTooLarge', message: 'Request entity too large: limit is 3145728' },
    ),
  );

  it('an object with a mebibyte of data and large annotations is taken', async ({ api, core }) => {
    const { code, body } = await api.post(
      core('configmaps'),
      configMap(
        { name: 'fat', annotations: { a: 'x'.repeat(200_000) } },
        { data: { a: 'x'.repeat(mebibyte) } },
      ),
    );
    expect([code, body.kind]).toEqual([201, 'ConfigMap']);
  });

  it('deep nesting is refused, and the server goes on', async ({ api, core }) => {
    const { code, body } = await api.post(
      core('configmaps'),
      `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"deep"},"deep":${nested(20_000)}}`,
    );
    expect([code, body['message']]).toEqual([
      400,
      `the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: invalid character '{' exceeded max depth ({"apiVersion":"v1","kind":"Con ...)`,
    ]);
    expect((await api.get('/readyz')).text).toBe('ok');
  });

  it('deep nesting of lists is refused, and the server goes on', async ({ api, core }) => {
    const { code, body } = await api.post(
      core('configmaps'),
      `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"deep"},"deep":${nested(20_000, '[', '', ']')}}`,
    );
    expect([code, body['message']]).toEqual([
      400,
      `the object provided is unrecognized (must be of type ConfigMap): couldn't get version/kind; json parse error: invalid character '[' exceeded max depth ({"apiVersion":"v1","kind":"Con ...)`,
    ]);
    expect((await api.get('/readyz')).text).toBe('ok');
  });

  it('deep nesting in a merge patch is refused', async ({ api, core }) => {
    await api.post(core('configmaps'), configMap('patched'));
    const { code, body } = await api.patch(core('configmaps/patched'), 'merge', nested(20_000));
    expect([code, body['message']]).toEqual([
      400,
      "error decoding patch: invalid character '{' exceeded max depth",
    ]);
  });

  for (const key of ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty'])
    it(`the key ${key} is a key like any other`, async ({ api, core }) => {
      const name = `key-${key.toLowerCase().replaceAll('_', '')}`;
      const text = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${name}","labels":{"k":"v"}},"data":{"${key}":"polluted","a":"1"}}`;
      expect((await api.post(core('configmaps'), text)).code).toBe(201);
      expect((await api.get(core(`configmaps/${name}`))).text).toContain(`"${key}":"polluted"`);
      const patched = await api.patch(core(`configmaps/${name}`), 'merge', `{"data":{"${key}":"again"}}`);
      expect(patched.text).toContain(`"${key}":"again"`);
      const strategic = await api.patch(core(`configmaps/${name}`), 'strategic', `{"data":{"${key}":null}}`);
      expect(strategic.text).not.toContain(`"${key}":"again"`);
    });

  it('__proto__ as a field of an object is an unknown field', async ({ api, core }) => {
    const text =
      '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"proto","__proto__":{"labels":{"a":"b"}}},"__proto__":{"immutable":true}}';
    const { code, body, headers } = await api.post(core('configmaps'), text);
    expect(code).toBe(201);
    expect(body['immutable']).toBeUndefined();
    expect(body.metadata.labels).toBeUndefined();
    expect(headers['warning']).toEqual(
      '299 - "unknown field \\"metadata.__proto__\\"", 299 - "unknown field \\"__proto__\\""',
    );
  });

  it('a JSON patch of __proto__ pollutes nothing', async ({ api, core }) => {
    await api.post(core('configmaps'), configMap('json-proto', { data: { a: '1' } }));
    const { code } = await api.patch(
      core('configmaps/json-proto'),
      'json',
      '[{"op":"add","path":"/__proto__/immutable","value":true}]',
    );
    expect(code).toBe(422);
    const { body } = await api.post(core('configmaps'), configMap('clean', { data: { a: '1' } }));
    expect(body['immutable']).toBeUndefined();
  });

  const paths: [what: string, path: string, codes: number[]][] = [
    ['dots that climb', '/api/v1/namespaces/default/configmaps/../secrets/x', [301, 404]],
    ['escaped dots', '/api/v1/namespaces/default/configmaps/%2e%2e', [400]],
    ['a double slash', '/api/v1//namespaces', [301, 404]],
    ['a percent sign without digits', '/api/v1/namespaces/%zz', [400]],
    ['a null byte', '/api/v1/namespaces/default/configmaps/a%00b', [404]],
    ['a name of 3000 characters', `/api/v1/namespaces/default/configmaps/${'a'.repeat(3000)}`, [404]],
  ];
  for (const [what, path, codes] of paths)
    it(`a path with ${what} gets a plain refusal`, async ({ api }) => {
      expect(codes).toContain((await api.get(path)).code);
    });

  it('a path with a slash at its end is the same or not found', async ({ api }) => {
    const { code } = await api.get('/api/v1/namespaces/');
    expect(code).toEqual(200);
  });

  it('a header of 2 MiB is refused, and the server goes on', async ({ api }) => {
    const outcome = await api.get('/api', { headers: { 'x-large': 'x'.repeat(2 * mebibyte) } }).then(
      ({ code }) => String(code),
      (error: NodeJS.ErrnoException) => error.code ?? '',
    );
    expect(['431', 'ECONNRESET', 'EPIPE']).toContain(outcome);
    expect((await api.get('/readyz')).code).toBe(200);
  });

  it('parameters that are no numbers are refused', async ({ api, core }) => {
    const queries: Query[] = [{ limit: 'x' }, { timeoutSeconds: 'x' }, { limit: '1.5' }, { limit: '' }];
    const answers = await Promise.all(queries.map((query) => api.get(core('configmaps'), { query })));
    expect(answers.map(({ code, body }) => `${code} ${body['message'] ?? body.kind}`)).toEqual([
      '400 strconv.ParseInt: parsing "x": invalid syntax',
      '400 strconv.ParseInt: parsing "x": invalid syntax',
      '400 strconv.ParseInt: parsing "1.5": invalid syntax',
      '400 strconv.ParseInt: parsing "": invalid syntax',
    ]);
  });

  it('a watch that is asked for with another word than false is one', async ({ api, core }) => {
    await using watch = await api.watch(core('configmaps'), {
      watch: 'perhaps',
      timeoutSeconds: '1',
      labelSelector: 'no=such',
    });
    expect(await watch.rest()).toEqual([]);
  });

  for (const [timeout, problem] of badTimeouts)
    it(
      `a timeout of ${timeout} is refused`,
      refuses(
        ({ api, core }) => api.get(core('configmaps'), { query: { timeout } }),
        badRequest(`invalid timeout specified in the request URL - time: ${problem}`),
      ),
    );

  it('a timeout is a duration, of any length, or nothing', async ({ api, core }) => {
    const answers = await Promise.all(
      ['', '0', '0s', '-1s', '1h2m', '1.5s', '3m'].map((timeout) =>
        api.get(core('configmaps'), { query: { timeout } }),
      ),
    );
    expect(answers.map(({ code }) => code)).toEqual(answers.map(() => 200));
  });

  it('unknown parameters are ignored', async ({ api, core }) => {
    expect((await api.get(core('configmaps'), { query: { nonsense: 'yes' } })).code).toBe(200);
  });

  it('a body that is shorter than it says is refused', async ({ api, core }) => {
    const { code } = await api.call({
      method: 'POST',
      path: core('configmaps'),
      headers: { 'content-type': 'application/json', 'content-length': '0' },
    });
    expect(code).toBe(400);
  });

  it('a GET with a body is a GET', async ({ api, core }) => {
    expect((await api.call({ method: 'GET', path: core('configmaps'), body: '{' })).code).toBe(200);
  });

  it(
    'a method that is none is refused',
    refuses(({ api, core }) => api.call({ method: 'OPTIONS', path: core('configmaps') }), notAllowed),
  );
});
