/** The name of the font in the set that a map file names. */
export const fontName = 'sans'

/** Quotes a text for a map file, without characters that would end the text or the line. */
export function quoteMapText(text: string): string {
  return `"${text.replace(/\p{Cc}/gu, ' ').replace(/[\\"]/g, (char) => `\\${char}`)}"`
}

/** A number without exponent, as map files take it. */
export function mapFileNumber(value: number): string {
  if (!Number.isFinite(value)) return '0'
  return Number(value.toFixed(6)).toString().includes('e')
    ? value.toFixed(0)
    : String(Number(value.toFixed(6)))
}

/** A colour with its opacity as `#rrggbbaa`. */
export function colorText(color: string, opacity: number): string {
  const alpha = Math.round(Math.min(1, Math.max(0, opacity)) * 255)
  return quoteMapText(`${color}${alpha.toString(16).padStart(2, '0')}`)
}
