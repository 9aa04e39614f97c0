// Colours of the page and of the scene, light and dark.
import { Color } from "three";

export type Theme = "light" | "dark";

export const MODE_COLOURS = ["#8f99a8", "#2f86eb", "#ff6b1a"]; // open, stick, slide
export const ACCENT = "#ffc53d";

export interface Look {
  top: string;
  bottom: string;
  ground: string;
  grid: string;
  belt: string; // chevrons on surfaces that move
  fixed: string;
  sheet: string; // paper of drawings in the plane
  line: string; // ink of drawings
  edge: string; // of bodies in space
  hemisphere: [string, string, number];
  key: number;
  fill: number;
}

export const LOOKS: Record<Theme, Look> = {
  light: {
    top: "#dfe7f0",
    bottom: "#f7f4ee",
    ground: "#efebe4",
    grid: "#a79f92",
    belt: "#5f574c",
    fixed: "#c5c0b8",
    sheet: "#faf9f6",
    line: "#2b2a28",
    edge: "#2b2a28",
    hemisphere: ["#ffffff", "#cdbfae", 1.55],
    key: 2.1,
    fill: 0.45,
  },
  dark: {
    top: "#0b0f16",
    bottom: "#28303d",
    ground: "#4a5463",
    grid: "#8492ab",
    belt: "#d5deec",
    fixed: "#7c8696",
    sheet: "#161b23",
    line: "#dbe3ef",
    edge: "#05070a",
    hemisphere: ["#a9c0e8", "#3a3530", 0.95],
    key: 2.5,
    fill: 0.7,
  },
};

const PALETTE = ["#c08a72", "#c9b07f", "#7f9fae", "#95ad96", "#a096b5", "#bb95a1", "#c4bb94", "#8696b2"]; // calm: full colours are those of contacts
const WOODS = ["#d8ab6e", "#c99657", "#e2bb84", "#b98349", "#d3a262"];
const STONES = ["#c9b79c", "#bca585", "#d4c3a7", "#b59e82", "#c2ae93"];

// equal inputs, equal colours: a small integer hash
function mixed(i: number): number {
  let x = (i + 1) * 0x9e3779b1;
  x ^= x >>> 15;
  x = Math.imul(x, 0x85ebca6b);
  x ^= x >>> 13;
  return (x >>> 0) / 4294967296;
}

const WOOD = /wood|plank|timber|oak|pine/i;
const STONE = /stone|rock|brick|masonry|marble|granite|concrete|block/i;

/** A body's colour: stones look like stones, wood like wood, everything else gets one of a few friendly hues with a little variation. */
export function bodyColour(index: number, material: string, name: string): Color {
  const text = `${material} ${name}`;
  const choices = STONE.test(text) ? STONES : WOOD.test(text) ? WOODS : PALETTE;
  const colour = new Color(choices[choices === PALETTE ? index % choices.length : Math.floor(mixed(index) * choices.length)]);
  return colour.offsetHSL((mixed(index + 7) - 0.5) * 0.02, 0, (mixed(index + 13) - 0.5) * 0.07);
}
