type Labels = Readonly<Record<string, string>>;

/** Tells whether these labels are selected. */
export type LabelSelector = (labels: Labels) => boolean;

const name = '[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?';
const key = `(?:[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?/)?${name}`;
const value = `(?:${name})?`;

const inSet = new RegExp(String.raw`^(${key})\s+(in|notin)\s*\(([^()]*)\)$`);
const equality = new RegExp(String.raw`^(${key})\s*(==|=|!=)\s*(${value})$`);
const existence = new RegExp(`^(!?)\\s*(${key})$`);
const isValue = new RegExp(`^${value}$`);

/** Reads a label selector of Kubernetes, such as `env=prod,tier in (web, api),!legacy`; undefined when it is not valid. */
export function parseLabelSelector(text: string): LabelSelector | undefined {
  // A comma within parentheses separates values.
  const requirements = text.split(/,(?![^(]*\))/).map((part) => requirement(part.trim()));
  if (requirements.includes(undefined)) return undefined;
  return (labels) => requirements.every((matches) => matches?.(labels));
}

function requirement(text: string): LabelSelector | undefined {
  const [, setKey, setOperator, list] = inSet.exec(text) ?? [];
  if (setKey !== undefined) {
    const values = (list ?? '').split(',').map((each) => each.trim());
    if (!values.every((each) => isValue.test(each))) return undefined;
    return isOneOf(setKey, values, setOperator === 'in');
  }
  const [, equalKey, operator, wanted = ''] = equality.exec(text) ?? [];
  if (equalKey !== undefined) return isOneOf(equalKey, [wanted], operator !== '!=');
  const [, negation, label] = existence.exec(text) ?? [];
  if (label === undefined) return undefined;
  return (labels) => Object.hasOwn(labels, label) === (negation === '');
}

/** An object without the label has none of the values. */
function isOneOf(label: string, values: readonly string[], wanted: boolean): LabelSelector {
  return (labels) => {
    const found = Object.hasOwn(labels, label) ? labels[label] : undefined;
    return (found !== undefined && values.includes(found)) === wanted;
  };
}
