// Pages behind tabs; arrow keys go from tab to tab.
import { by, element } from "./dom";

export function buildTabs(pages: [id: string, label: string, content: HTMLElement][], opened: (id: string) => void): void {
  by("tabs").replaceChildren();
  by("pages").replaceChildren();
  for (const [id, label, content] of pages) {
    const tab = element("button", { role: "tab", id: `tab-${id}`, "aria-controls": `page-${id}` }, label);
    tab.addEventListener("click", () => opened(id));
    tab.addEventListener("keydown", ({ key }) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
      if (!step) return;
      const next = pages[(pages.findIndex(([other]) => other === id) + step + pages.length) % pages.length][0];
      opened(next);
      by(`tab-${next}`).focus();
    });
    by("tabs").append(tab);
    by("pages").append(element("div", { class: "page", role: "tabpanel", id: `page-${id}`, "aria-labelledby": `tab-${id}`, hidden: "" }, content));
  }
}

export function selectTab(id: string): void {
  for (const page of by("pages").children as HTMLCollectionOf<HTMLElement>) page.hidden = page.id !== `page-${id}`;
  for (const tab of by("tabs").children as HTMLCollectionOf<HTMLElement>) {
    const chosen = tab.id === `tab-${id}`;
    tab.setAttribute("aria-selected", String(chosen));
    tab.tabIndex = chosen ? 0 : -1;
  }
}
