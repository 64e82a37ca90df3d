const maxShown = 100;

/** A message for users: what is wrong, where, and what is valid. */
export function invalidAnnotation(
  annotation: string,
  text: string,
  allowed: string,
  container?: string,
): string {
  const shown = text.length > maxShown ? `${text.slice(0, maxShown)}…` : text;
  const where = container === undefined ? '' : ` for container "${container}"`;
  return `Annotation ${annotation} has the value "${shown}"${where}, which is not valid: must be ${allowed}`;
}
