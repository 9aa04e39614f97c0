// Name and verdicts over the picture, and while a run goes on whether its end is followed.
import type { Run } from "../data/run";
import { by, element, format } from "./dom";

export function buildTitle({ header }: Run): void {
  document.title = `${header.name || "run"} · Asperity`;
  by("title").querySelector("h1")!.textContent = header.name || "run";
  const { steps, uncertified, residual } = header.certificate;
  const good = uncertified === 0;
  const text = good ? `${steps} steps certified, residual ≤ ${format(residual.value, 2)}` : `${uncertified} of ${steps} steps missed the tolerance`;
  const { resolution } = header;
  const resolved = resolution?.unresolved === 0;
  const said = !resolution ? "resolution not judged" : resolved ? "resolved" : `${resolution.unresolved} steps not resolved`;
  const badges = [element("span", { class: good ? "badge" : "badge bad" }, text)];
  if (steps > 0) badges.push(element("span", { class: resolved ? "badge" : resolution ? "badge bad" : "badge open", id: "resolution" }, said));
  by("subtitle").replaceChildren(...badges);
  by("canvas").setAttribute("aria-label", `picture of ${header.name || "the run"}: ${header.bodies.name.length} bodies. ${text}; ${said}`);
}

/** While the run goes on: a badge that is pressed as long as the page stays at its end. */
export function showLive(following: boolean, toggle: () => void): void {
  const badge = element("button", { class: following ? "badge live on" : "badge live", id: "live", "aria-pressed": String(following), title: "stay at the end of the run while it goes on" }, following ? "live" : "live: paused here");
  badge.addEventListener("click", toggle);
  document.getElementById("live")?.remove();
  by("subtitle").append(badge);
}
