// Elements of the page and numbers for people.

/** The element of this id; it must be there. */
export const by = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;

export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Partial<Record<string, string>> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) if (value !== undefined) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

/** A number for people: 0.00012 as 1.2e-4. */
export function format(value: number | null | undefined, digits = 3): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  const rounded = Number(value.toPrecision(digits));
  return size > 0 && size < 1e-3 ? String(rounded.toExponential()) : String(rounded);
}

/** A line of a list of names and values. */
export function row(list: HTMLElement, name: string, ...values: (Node | string)[]): void {
  list.append(element("dt", {}, name), element("dd", {}, ...values));
}
