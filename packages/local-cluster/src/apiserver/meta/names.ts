/** A rule for names, labels or keys. Returns the violations, with Kubernetes' messages. */
export type NameRule = (value: string) => string[];

const label1123 = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const subdomain1123 = `${label1123}(\\.${label1123})*`;
const labelKey = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';

const whole = (pattern: string) => new RegExp(`^(?:${pattern})$`);
const expressions = {
  label1123: whole(label1123),
  subdomain1123: whole(subdomain1123),
  labelKey: whole(labelKey),
  labelValue: whole(`(${labelKey})?`),
  configKey: whole('[-._a-zA-Z0-9]+'),
};

function regexProblem(message: string, pattern: string, ...examples: string[]): string {
  if (examples.length === 0) return `${message} (regex used for validation is '${pattern}')`;
  return `${message} (e.g. ${examples.map((each) => `'${each}', `).join(' or ')}regex used for validation is '${pattern}')`;
}

/** Kubernetes' messages say characters for names and bytes for labels, but it counts bytes for both. */
function maxLengthProblem(length: number, unit: 'bytes' | 'characters' = 'characters'): string {
  return `must be no more than ${length} ${unit}`;
}

function bytes(value: string): number {
  return Buffer.byteLength(value);
}

export const dnsLabel: NameRule = (value) => {
  const problems = bytes(value) > 63 ? [maxLengthProblem(63)] : [];
  if (expressions.label1123.test(value)) return problems;
  if (expressions.subdomain1123.test(value)) return [...problems, 'must not contain dots'];
  return [
    ...problems,
    regexProblem(
      "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
      label1123,
      'my-name',
      '123-abc',
    ),
  ];
};

export const dnsSubdomain: NameRule = (value) => {
  const problems = bytes(value) > 253 ? [maxLengthProblem(253)] : [];
  if (expressions.subdomain1123.test(value)) return problems;
  return [
    ...problems,
    regexProblem(
      "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
      subdomain1123,
      'example.com',
    ),
  ];
};

const label1035 = '[a-z]([-a-z0-9]*[a-z0-9])?';
const wholeLabel1035 = new RegExp(`^${label1035}$`);

/** For the names of kinds. */
export const dns1035Label: NameRule = (value) => {
  const problems = bytes(value) > 63 ? [maxLengthProblem(63)] : [];
  if (wholeLabel1035.test(value)) return problems;
  return [
    ...problems,
    regexProblem(
      "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
      label1035,
      'my-name',
      'abc-123',
    ),
  ];
};

/** For names that only have to be valid path segments, such as those of RBAC objects. */
export const pathSegment: NameRule = (value) => {
  if (value === '.' || value === '..') return [`may not be '${value}'`];
  return ['/', '%'].flatMap((each) => (value.includes(each) ? [`may not contain '${each}'`] : []));
};

const labelKeyProblem = regexProblem(
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
  labelKey,
  'MyName',
  'my.name',
  '123-abc',
);

/** Key of a label or annotation: a name with an optional domain as prefix. */
export const qualifiedName: NameRule = (value) => {
  const parts = value.split('/');
  if (parts.length > 2)
    return [
      `a valid label key ${labelKeyProblem} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  const problems: string[] = [];
  const [prefix, name] = parts.length === 2 ? [parts[0] ?? '', parts[1] ?? ''] : [undefined, parts[0] ?? ''];
  if (prefix === '') problems.push('prefix part must be non-empty');
  else if (prefix !== undefined) problems.push(...dnsSubdomain(prefix).map((each) => `prefix part ${each}`));
  if (name === '') problems.push('name part must be non-empty');
  else if (bytes(name) > 63) problems.push(`name part ${maxLengthProblem(63, 'bytes')}`);
  if (!expressions.labelKey.test(name)) problems.push(`name part ${labelKeyProblem}`);
  return problems;
};

export const labelValue: NameRule = (value) => {
  const problems = bytes(value) > 63 ? [maxLengthProblem(63, 'bytes')] : [];
  if (expressions.labelValue.test(value)) return problems;
  return [
    ...problems,
    regexProblem(
      "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
      `(${labelKey})?`,
      'MyValue',
      'my_value',
      '12345',
    ),
  ];
};

/** Key of a ConfigMap or Secret, which is a file name in volumes. */
export const configKey: NameRule = (value) => {
  const problems = bytes(value) > 253 ? [maxLengthProblem(253)] : [];
  if (!expressions.configKey.test(value))
    problems.push(
      regexProblem(
        "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
        '[-._a-zA-Z0-9]+',
        'key.name',
        'KEY_NAME',
        'key-name',
      ),
    );
  if (value === '.') problems.push(`must not be '.'`);
  else if (value === '..') problems.push(`must not be '..'`);
  else if (value.startsWith('..')) problems.push(`must not start with '..'`);
  return problems;
};

/** Name of an environment variable. */
export const variableName: NameRule = (value) =>
  /[^\x20-\x7e]|=/.test(value)
    ? ["a valid environment variable name must consist only of printable ASCII characters other than '='"]
    : [];

/** A generateName may end with a hyphen, as the server appends a suffix to it. */
export function asPrefix(rule: NameRule): NameRule {
  return (value) => rule(value.endsWith('-') ? `${value.slice(0, -1)}a` : value);
}
