// What may be written at a place of a scene, from the JSON Schema that the library itself gives.
import type { Place } from "./json_place";

export interface Choice {
  text: string; // as it is inserted, with quotes where it needs them
  about: string;
}

type Node = Record<string, unknown>;

export class Schema {
  constructor(private readonly root: Node) {}

  private resolve(node: Node | undefined): Node | undefined {
    let found = node;
    for (let depth = 0; found && typeof found.$ref === "string" && depth < 20; depth++) {
      const parts = found.$ref.replace(/^#\//, "").split("/");
      found = parts.reduce<Node | undefined>((at, part) => at?.[part] as Node | undefined, this.root);
    }
    return found;
  }

  /** A schema and all that it may be instead. */
  private variants(node: Node | undefined): Node[] {
    const found = this.resolve(node);
    if (!found) return [];
    const others = ["anyOf", "oneOf", "allOf"].flatMap((key) => ((found[key] as Node[] | undefined) ?? []).flatMap((part) => this.variants(part)));
    return [found, ...others];
  }

  private top(dimension: number): Node[] {
    const { then, else: otherwise } = this.root;
    return [...this.variants(this.root), ...this.variants((dimension === 2 ? then : otherwise) as Node | undefined)];
  }

  private into(nodes: Node[], part: string | number): Node[] {
    return nodes.flatMap((node) => {
      if (typeof part === "number") return this.variants(node.items as Node | undefined);
      const properties = node.properties as Record<string, Node> | undefined;
      const more = typeof node.additionalProperties === "object" ? (node.additionalProperties as Node) : undefined;
      return this.variants(properties?.[part] ?? more);
    });
  }

  choices(place: Place, dimension: number, inList: boolean): Choice[] {
    let nodes = place.path.reduce<Node[]>((at, part) => this.into(at, part), this.top(dimension));
    const seen = new Set<string>();
    const wanted = place.text.toLowerCase();
    const fits = ({ text }: Choice) => !seen.has(text) && seen.add(text) && text.replaceAll('"', "").toLowerCase().startsWith(wanted);
    if (place.key === null)
      return nodes
        .flatMap((node) => Object.entries((node.properties as Record<string, Node> | undefined) ?? {}))
        .filter(([name]) => !place.keys.includes(name))
        .map(([name, node]) => ({ text: `"${name}"`, about: String(this.resolve(node)?.description ?? "") }))
        .filter(fits);
    nodes = inList ? nodes.flatMap((node) => this.variants(node.items as Node | undefined)) : this.into(nodes, place.key);
    return nodes
      .flatMap((node) => [...((node.enum as unknown[] | undefined) ?? []), ...(node.const !== undefined ? [node.const] : []), ...(node.type === "boolean" ? [true, false] : [])])
      .map((value) => ({ text: JSON.stringify(value), about: "" }))
      .filter(fits);
  }
}
