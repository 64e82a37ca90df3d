/** Renders a JSONPath template as `kubectl get -o jsonpath=TEMPLATE` does. */
export function renderJsonPath(template: string, object: object): string {
  throw new Error(`not implemented: ${template} ${object}`);
}
