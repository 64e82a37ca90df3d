/** Ginkgo prefixes the name of every spec with the name of the suite. */
const suiteName = 'Kubernetes e2e suite';

/** A Go regular expression that matches exactly these specs. */
export function focusOn(names: readonly string[]): string {
  return `^${suiteName} (${names.map(literally).join('|')})$`;
}

function literally(name: string): string {
  return name.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
