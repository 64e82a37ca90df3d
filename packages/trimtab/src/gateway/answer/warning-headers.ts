const maxTextLength = 1_024;
/** Of all warnings: Node's own client reads 16 KiB of headers. */
const maxLength = 8 * 1_024;

/** The values of the Warning headers of a response: clean, and limited in all. Kubernetes clients print the texts. */
export function warningHeaders(warnings: readonly string[]): string[] {
  const headers: string[] = [];
  let length = 0;
  for (const [index, text] of warnings.entries()) {
    const header = warning(text);
    length += header.length;
    if (length > maxLength) return [...headers, warning(`and ${warnings.length - index} more warnings`)];
    headers.push(header);
  }
  return headers;
}

/** RFC 7234: code 299, the agent, the text as a quoted string. */
function warning(text: string): string {
  const cut = text.length > maxTextLength ? `${text.slice(0, maxTextLength)}...` : text;
  const clean = cut.replace(/[^\x20-\x7e]/g, '?').replace(/["\\]/g, (character) => `\\${character}`);
  return `299 trimtab "${clean}"`;
}
