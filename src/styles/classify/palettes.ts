import { mixColors } from '../colors.ts'

/** `sequence`: from low to high; `diverging`: from a middle to both sides; `set`: for categories. */
export const paletteKinds = ['sequence', 'diverging', 'set'] as const

/** Colours that people with colour vision deficiency can distinguish. */
interface Palette {
  kind: (typeof paletteKinds)[number]
  colors: readonly string[]
}

const list = (text: string): string[] => text.split(' ').map((color) => `#${color}`)

/**
 * Palettes by name. `viridis` and `cividis` are those of matplotlib (CC0); `blues`, `orrd`, `ylgnbu`, `puor`
 * and `rdbu` are of ColorBrewer by Cynthia Brewer, Mark Harrower and The Pennsylvania State University
 * (Apache-2.0), which rates them as colour-blind safe; `okabe-ito` is that of Masataka Okabe and Kei Ito
 * (free for any use).
 */
const palettes = {
  viridis: {
    kind: 'sequence',
    colors: list('fde725 b5de2b 6ece58 35b779 1f9e89 26828e 31688e 3e4989 482878 440154'),
  },
  cividis: {
    kind: 'sequence',
    colors: list('fee838 e1cc55 c3b369 a59c74 8a8678 707173 575d6d 3b496c 123570 00224e'),
  },
  blues: { kind: 'sequence', colors: list('deebf7 c6dbef 9ecae1 6baed6 4292c6 2171b5 08519c 08306b') },
  orrd: { kind: 'sequence', colors: list('fee8c8 fdd49e fdbb84 fc8d59 ef6548 d7301f b30000 7f0000') },
  ylgnbu: { kind: 'sequence', colors: list('edf8b1 c7e9b4 7fcdbb 41b6c4 1d91c0 225ea8 253494 081d58') },
  puor: {
    kind: 'diverging',
    colors: list('7f3b08 b35806 e08214 fdb863 fee0b6 f7f7f7 d8daeb b2abd2 8073ac 542788 2d004b'),
  },
  rdbu: {
    kind: 'diverging',
    colors: list('67001f b2182b d6604d f4a582 fddbc7 f7f7f7 d1e5f0 92c5de 4393c3 2166ac 053061'),
  },
  'okabe-ito': { kind: 'set', colors: list('e69f00 56b4e9 009e73 f0e442 0072b2 d55e00 cc79a7 000000') },
} as const satisfies Record<string, Palette>

/** Name of a palette. */
export type PaletteName = keyof typeof palettes
/** The names of all palettes. */
export const paletteNames = Object.keys(palettes) as [PaletteName, ...PaletteName[]]

/** Returns the purpose of a palette. */
export function paletteKind(name: PaletteName): (typeof paletteKinds)[number] {
  return palettes[name].kind
}

/**
 * Returns a number of colours of a palette: a qualitative palette repeats, others are interpolated between
 * their first and last colour.
 */
export function colorsOf(name: PaletteName, count: number): string[] {
  const { kind, colors }: Palette = palettes[name]
  return Array.from({ length: count }, (_, index) => {
    if (kind === 'set') return colors[index % colors.length] ?? '#000000'
    const at = count === 1 ? (colors.length - 1) / 2 : (index / (count - 1)) * (colors.length - 1)
    const [from, to] = [colors[Math.floor(at)] ?? '#000000', colors[Math.ceil(at)] ?? '#000000']
    return mixColors(from, to, at - Math.floor(at))
  })
}
