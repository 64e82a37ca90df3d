import { describe, expect, test } from 'vitest';
import { stampText } from './stamp-text.ts';

const now = 1_763_480_000;
const options = { key: 'configMapVersion', now };

/** `«12»` marks the values that are to change. */
function split(marked: string): { text: string; expected: string } {
  return { text: marked.replaceAll(/[«»]/g, ''), expected: marked.replaceAll(/«[^»]*»/g, String(now)) };
}

const deployment = `# configMapVersion: 1
apiVersion: apps/v1
kind: Deployment
spec:
  template:
    spec:
      containers:
      - name: app # not configMapVersion: 2
        env:
        - name: other
          value: "3"
        - name: configMapVersion   # set by the release
          # value: "4"
          value: "«12»"
        - name: last
          value: "5"
`;

describe('only the value changes', () => {
  test.each<[what: string, marked: string]>([
    ['YAML', 'a: 1\nconfigMapVersion: «12»\nb: 2\n'],
    ['YAML without a final line break', 'configMapVersion: «12»'],
    ['YAML with CRLF', 'a: 1\r\nconfigMapVersion: «12»\r\nb: 2\r\n'],
    ['YAML with a comment behind the value', 'configMapVersion: «12» # configMapVersion: 1'],
    ['YAML with double quotes', '  configMapVersion: "«12»"\n'],
    ['YAML with single quotes', "  'configMapVersion': '«12»'\n"],
    [
      'YAML with an anchor',
      'configMapVersion: &version «12»\nother: *version\nconfigMapVersion2: *version\n',
    ],
    ['YAML with an anchor and a tag', 'configMapVersion: &v !!str "«12»"\n'],
    ['YAML with an alias', 'a: {configMapVersion: &v «12»}\nb: {configMapVersion: *v}\n'],
    ['YAML flow', 'labels: {app: web, configMapVersion: "«12»", tier: x}'],
    ['YAML flow without quotes', '{configMapVersion: «12»}'],
    ['several places', 'configMapVersion: «12»\n---\nx:\n  configMapVersion: "«99»"\n'],
    ['a byte order mark', '\ufeffconfigMapVersion: «12»\n'],
    ['an empty string', 'configMapVersion: "«»"\n'],
    ['JSON', '{\n  "a": "b # c",\n  "configMapVersion": «12»\n}\n'],
    ['JSON with a string', '{"configMapVersion":"«12»","b":1}'],
    [
      'JSON with comments',
      '{\n  // "configMapVersion": 1\n  /* configMapVersion: 2\n   */\n  "configMapVersion": «12», // x\n}',
    ],
    ['env file', '# configMapVersion=1\nA=b\nconfigMapVersion=«12»\n'],
    ['shell', `export configMapVersion="«12»" # x\necho \${configMapVersion:-7} $configMapVersion\n`],
    ['properties', 'a.b=1\nconfigMapVersion = «12»\napp.configMapVersion: «13»\n'],
    ['INI', '; configMapVersion = 1\n[app]\nconfigMapVersion = «12»\n'],
    ['TOML', 'configMapVersion = «12»\n[x]\nname = "y"\n'],
    ['Makefile', 'configMapVersion := «12»\nconfigMapVersion ?= «1»\n'],
    [
      'JavaScript',
      "// configMapVersion = 1\nexport default { configMapVersion: '«12»', url: 'http://x' };\n",
    ],
    [
      'JavaScript constant',
      'const configMapVersion = «12»;\nif (configMapVersion === 3 || x.configMapVersion == 4) {}\n',
    ],
    ['JavaScript index', 'x["configMapVersion"] = «12»;\n'],
    ['TypeScript', 'const configMapVersion: number = «12»;\n'],
    ['PHP and Ruby', "['configMapVersion' => «12»]"],
    [
      'XML element',
      '<!-- <configMapVersion>1</configMapVersion> -->\n<a><configMapVersion>«12»</configMapVersion></a>',
    ],
    ['XML attribute', '<app configMapVersion="«12»"/>'],
    ['XML name and value', '<property name="configMapVersion"\n          value="«12»"/>'],
    ['flags', 'args: ["--configMapVersion=«12»", "--set", "app.configMapVersion=«13»"]'],
    ['Helm comment', '{{- /*\nconfigMapVersion: 1\n*/}}\nconfigMapVersion: «12»\n'],
    ['Helm reference', 'x: {{ .Values.configMapVersion | quote }}\nconfigMapVersion: «12»\n'],
    ['Kustomize', 'configMapGenerator:\n- name: x\n  literals:\n  - configMapVersion=«12»\n'],
    ['annotation that kubectl wrote', 'a: "{\\"configMapVersion\\":\\"1\\"}"\nconfigMapVersion: «12»\n'],
    ['container env', deployment],
    ['container env with CRLF', deployment.replaceAll('\n', '\r\n')],
    [
      'container env, value first',
      '- value: "1"\n  name: a\n- value: "«12»"\n  name: configMapVersion\n- value: "2"\n  name: b\n',
    ],
    [
      'container env in a flow',
      'env: [{name: a, value: "1"}, {name: configMapVersion, value: "«12»"}, {name: b, value: "2"}]',
    ],
    [
      'container env in JSON',
      '{"env": [{\n  "name": "configMapVersion",\n    "value": "«12»"\n}, {"name": "b", "value": "2"}]}',
    ],
    [
      'container env in JSON, value first',
      '[{"value":"1","name":"a"},{"value":"«12»","name":"configMapVersion"}]',
    ],
    ['container env in HCL', 'env {\n  name  = "configMapVersion"\n  value = "«12»"\n}\n'],
    ['container env with quotes', '- "name": "configMapVersion"\n  "value": \'«12»\'\n'],
    [
      'container env and a name without value',
      '- name: configMapVersion\nvalue: 1\n---\nconfigMapVersion: «12»\n',
    ],
    [
      'container env from a field',
      '- name: configMapVersion\n  valueFrom: {fieldRef: {}}\n---\nconfigMapVersion: «12»\n',
    ],
    [
      'other names',
      'myconfigMapVersion: 1\nconfigMapVersions: 2\nx-configMapVersion: 3\nexample.com/configMapVersion: 4\nconfigMapVersion: «12»\n',
    ],
    ['a pattern of paths', 'a: /*\nconfigMapVersion: «12»\n'],
    ['an apostrophe', "a: don't # it's\nb: 'x' # configMapVersion: 1\nconfigMapVersion: «12»\n"],
  ])('%s', (_, marked) => {
    const { text, expected } = split(marked);
    const stamped = stampText(text, options);
    expect(stamped.problems).toEqual([]);
    expect(stamped.text).toBe(expected);
    expect(stamped).toMatchObject({ changed: true, found: marked.split('«').length - 1 });
  });

  test('another key', () => {
    const { text, expected } = split('a.b+c: «1»\naxbxc: 2\nconfigMapVersion: 3\n');
    expect(stampText(text, { key: 'a.b+c', now }).text).toBe(expected);
  });
});

describe('the number only increases', () => {
  test.each<[old: string, next: string]>([
    ['0', '1763480000'],
    ['1763479999', '1763480000'],
    ['1763480000', '1763480001'],
    ['9007199254740993', '9007199254740994'],
    ['99999999999999999999999999', '100000000000000000000000000'],
    ['007', '1763480000'],
  ])('%s', (old, next) => {
    expect(stampText(`configMapVersion: ${old}`, options)).toMatchObject({
      text: `configMapVersion: ${next}`,
      summary: `configMapVersion ${BigInt(old)} -> ${next}`,
    });
  });

  test('several places get one number, greater than each', () => {
    expect(stampText('configMapVersion=5\nconfigMapVersion=1763480007', options)).toMatchObject({
      text: 'configMapVersion=1763480008\nconfigMapVersion=1763480008',
      summary: 'configMapVersion 1763480007 -> 1763480008 (2 places)',
    });
  });
});

describe('a value that is no number is refused, with its line, and without the value', () => {
  test.each<[text: string, message: RegExp]>([
    ['configMapVersion: -5', /is not a whole number: set it to 0/],
    ['configMapVersion=-5', /is not a whole number/],
    ['configMapVersion: 1.2', /is not a whole number/],
    ['configMapVersion: "hunter2"', /is not a whole number/],
    ['configMapVersion: 12abc', /is not a whole number/],
    ['configMapVersion: 0x10', /is not a whole number/],
    ['configMapVersion: { a: 1 }', /is not a whole number/],
    ['configMapVersion:', /is empty: set it to 0/],
    ['configMapVersion: # none', /is not a whole number|is empty/],
    ['configMapVersion: *version', /is a YAML alias/],
    ['configMapVersion: {{ .Values.configMapVersion }}', /is a template expression: stamp the file/],
    [`configMapVersion: "\${VERSION}"`, /is a template expression/],
  ])('%s', (bad, message) => {
    const text = `a: 1\n${bad}\n`;
    const stamped = stampText(text, options);
    expect(stamped).toMatchObject({ text, changed: false });
    expect(stamped.problems).toEqual([{ line: 2, message: expect.stringMatching(message) }]);
    expect(stamped.problems[0]?.message).not.toContain('hunter2');
  });

  test('also when other values are numbers', () => {
    const text = 'configMapVersion: 1\n\nconfigMapVersion: x\n';
    expect(stampText(text, options)).toMatchObject({ text, problems: [{ line: 3 }] });
  });

  test.each([
    '',
    'a: 1\n',
    '# configMapVersion: 1\n',
    'name: configMapVersion\n',
    'the configMapVersion is 3\n',
  ])('a text without the key: %j', (text) => {
    expect(stampText(text, options)).toEqual({
      ...{ text, changed: false, found: 0, summary: '' },
      problems: [
        {
          message:
            'key configMapVersion not found: add the key with the value 0, or set another key with --key',
        },
      ],
    });
  });
});
