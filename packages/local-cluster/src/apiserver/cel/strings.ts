import type { Environment } from '@marcbachmann/cel-js';

/** Registers functions on strings that Kubernetes has and the CEL library lacks. Regular expressions are JavaScript's. */
export function registerStrings(environment: Environment): void {
  environment.registerFunction(
    'string.replace(string, string): string',
    (text: string, from: string, to: string) => text.split(from).join(to),
  );
  environment.registerFunction(
    'string.replace(string, string, int): string',
    (text: string, from: string, to: string, limit: bigint) => {
      const parts = text.split(from);
      const count = limit < 0n ? parts.length : Number(limit) + 1;
      return [...parts.slice(0, count - 1), parts.slice(count - 1).join(from)].join(to);
    },
  );
  environment.registerFunction('string.charAt(int): string', (text: string, index: bigint) => {
    const all = [...text];
    if (index < 0n || index > all.length) throw new Error(`index out of range: ${index}`);
    return all[Number(index)] ?? '';
  });
  environment.registerFunction(
    'string.find(string): string',
    (text: string, pattern: string) => new RegExp(pattern, 'u').exec(text)?.[0] ?? '',
  );
  environment.registerFunction('string.findAll(string): list<string>', (text: string, pattern: string) =>
    Array.from(text.matchAll(new RegExp(pattern, 'gu')), ([found]) => found),
  );
}
