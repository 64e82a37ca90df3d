/** Why a text is not a valid key of a ConfigMap or Secret, in kubectl's words; empty for a valid key. */
export function keyProblems(key: string): string[] {
  return [
    ...(key.length > 253 ? ['must be no more than 253 characters'] : []),
    ...(/^[-._a-zA-Z0-9]+$/.test(key)
      ? []
      : [
          "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
        ]),
    ...parentFolderProblems(key),
  ];
}

/** Why a text is not a valid name in an env file, in kubectl's words; empty for a valid name. */
export function variableProblems(name: string): string[] {
  return [
    ...(/^[-._a-zA-Z][-._a-zA-Z0-9]*$/.test(name)
      ? []
      : [
          "a valid environment variable name must consist of alphabetic characters, digits, '_', '-', or '.', and must not start with a digit (e.g. 'my.env-name',  or 'MY_ENV.NAME',  or 'MyEnvName1', regex used for validation is '[-._a-zA-Z][-._a-zA-Z0-9]*')",
        ]),
    ...parentFolderProblems(name),
  ];
}

/** A key becomes a file name in a volume. */
function parentFolderProblems(key: string): string[] {
  if (key === '.' || key === '..') return [`must not be '${key}'`];
  return key.startsWith('..') ? ["must not start with '..'"] : [];
}
