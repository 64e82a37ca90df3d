/** What Ginkgo puts before the name of every spec of this program. */
const suiteName = 'Kubernetes e2e suite';

/** A regular expression (Go's) that matches exactly these specs. */
export function focusOn(names: readonly string[]): string {
  return `^${suiteName} (${names.map(literally).join('|')})$`;
}

function literally(name: string): string {
  return name.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
