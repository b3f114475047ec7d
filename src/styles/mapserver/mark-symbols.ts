import type { MarkShape } from '../model.ts'

/** The name of the font in the set that a map file names. */
export const fontName = 'sans'

/** Quotes a text for a map file, without characters that would end the text or the line. */
export function quoteMapText(text: string): string {
  return `"${text.replace(/\p{Cc}/gu, ' ').replace(/[\\"]/g, (char) => `\\${char}`)}"`
}

/** Formats a number for a map file, without an exponent. */
export function mapFileNumber(value: number): string {
  if (!Number.isFinite(value)) return '0'
  return Number(value.toFixed(6)).toString().includes('e')
    ? value.toFixed(0)
    : String(Number(value.toFixed(6)))
}

/** Formats a colour with its opacity as `#rrggbbaa`. */
export function colorText(color: string, opacity: number): string {
  const alpha = Math.round(Math.min(1, Math.max(0, opacity)) * 255)
  return quoteMapText(`${color}${alpha.toString(16).padStart(2, '0')}`)
}

/** Outlines in a square of 1, y down, as `draw/marks.ts` has them. */
const outlines: Record<Exclude<MarkShape, 'circle'>, string> = {
  square: '0 0 1 0 1 1 0 1 0 0',
  triangle: '0.5 0 1 1 0 1 0.5 0',
  star: starPoints(5, 0.4),
  cross:
    '0.36 0 0.64 0 0.64 0.36 1 0.36 1 0.64 0.64 0.64 0.64 1 0.36 1 0.36 0.64 0 0.64 0 0.36 0.36 0.36 0.36 0',
  x: '0 0.2 0.2 0 0.5 0.3 0.8 0 1 0.2 0.7 0.5 1 0.8 0.8 1 0.5 0.7 0.2 1 0 0.8 0.3 0.5 0 0.2',
}

function starPoints(corners: number, inner: number): string {
  return Array.from({ length: corners * 2 + 1 }, (_, index) => {
    const angle = (index / corners) * Math.PI
    const radius = index % 2 === 0 ? 0.5 : 0.5 * inner
    const [x, y] = [0.5 + Math.sin(angle) * radius, 0.5 - Math.cos(angle) * radius]
    return `${x.toFixed(4)} ${y.toFixed(4)}`
  }).join(' ')
}

const vectors = Object.entries(outlines).map(
  ([name, points]) => `SYMBOL NAME "${name}" TYPE VECTOR FILLED TRUE POINTS ${points} END END`,
)

/** The marks of styles as symbols of a map file. */
export const markSymbols = [
  'SYMBOL NAME "circle" TYPE ELLIPSE FILLED TRUE POINTS 1 1 END END',
  ...vectors,
].join('\n')
