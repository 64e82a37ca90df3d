/**
 * Whether the output that a page shows is that of a run, but for parts that differ from run to run. A line `…` stands for lines
 * that the page leaves out.
 */
export function showsOutput(shown: string, seen: string): boolean {
  const [first = '', ...others] = withoutRunDetails(shown).split(/^ *…\n/m);
  let rest = withoutRunDetails(seen);
  if (!rest.startsWith(first)) return false;
  if (others.length === 0) return rest === first;
  rest = rest.slice(first.length);
  const last = others.pop() ?? '';
  for (const part of others) {
    const at = rest.indexOf(part);
    if (at === -1) return false;
    rest = rest.slice(at + part.length);
  }
  return rest.endsWith(last);
}

/**
 * Returns a text without the parts that differ from run to run: names of pods, times, durations, ports, the width of columns
 * that depends on them, and old pods that are still terminating.
 */
export function withoutRunDetails(text: string): string {
  return text
    .replace(/^[ │]*[├└]── .*\bterminating\b.*\n/gim, '')
    .replaceAll('└──', '├──')
    .replace(/\b[a-z][a-z0-9-]*-[a-z0-9]{6,10}-[a-z0-9]{5}\b/g, 'POD')
    .replace(/\b\d{4}-\d{2}-\d{2}T[\d:.]+Z/g, 'TIME')
    .replace(/(127\.0\.0\.1):\d+/g, '$1:PORT')
    .replace(/(?<![\w.])\d+(\.\d+)? ?(ms|[smhd](\d+[smh])?)\b/g, 'DURATION')
    .replace(/ {2,}/g, '  ')
    .replace(/ +$/gm, '');
}
