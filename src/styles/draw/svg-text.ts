/** Escapes a text or value for SVG. Characters that XML forbids become spaces. */
export function escapeSvg(text: string): string {
  return text
    .replace(/[^\t\n\r\x20-\uFFFD\u{10000}-\u{10FFFF}]/gu, ' ')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&apos;')
}

/** Writes an element with its defined attributes; `content` is already SVG. */
export function svgElement(
  name: string,
  attributes: Readonly<Record<string, string | number | undefined>>,
  content = '',
): string {
  const reported = Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined
      ? []
      : [` ${key}="${escapeSvg(typeof value === 'number' ? svgNumber(value) : value)}"`],
  )
  return content === ''
    ? `<${name}${reported.join('')}/>`
    : `<${name}${reported.join('')}>${content}</${name}>`
}

/** Formats a number with at most two decimals; 0 if it is not finite. */
export function svgNumber(value: number): string {
  return Number.isFinite(value) ? String(Math.round(value * 100) / 100) : '0'
}

/** Width in units of the font's size: letters of Chinese, Japanese and Korean are square, others narrower. */
const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u
const narrow = /[\s.,:;'|!ijlIftr()[\]]/
const none = /\p{Mn}|\p{Cf}/u

function letterWidth(letter: string): number {
  if (none.test(letter)) return 0
  if (wide.test(letter)) return 1
  if (narrow.test(letter)) return 0.4
  return /[\p{Lu}mwMW@%]/u.test(letter) ? 0.75 : 0.62
}

/** Estimates the width of a text in pixels, rather too wide than too narrow. */
function textWidth(text: string, size: number): number {
  let width = 0
  for (const letter of text) width += letterWidth(letter)
  return width * size
}

/** True if a text is right-to-left, by its first letter with a direction. */
export function isRightToLeft(text: string): boolean {
  const [first] = /\p{L}/u.exec(text) ?? []
  return (
    first !== undefined &&
    /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u.test(first)
  )
}

/**
 * Breaks a text into lines of limited width: between words, inside words that are too long, and between
 * characters of scripts without spaces. Limits the number of lines; ends the last one with an ellipsis if
 * text remains.
 */
export function wrapText(
  text: string,
  { size, width, lines }: { size: number; width: number; lines: number },
): string[] {
  const done: string[] = []
  let line = ''
  for (const piece of piecesOf(text.replace(/\s+/g, ' ').trim())) {
    if (textWidth(line + piece, size) <= width || line === '') {
      line += line === '' ? piece.trimStart() : piece
    } else {
      done.push(line.trimEnd())
      line = piece.trimStart()
    }
    while (textWidth(line, size) > width) {
      const fits = fitting(line, size, width)
      done.push(fits)
      line = line.slice(fits.length)
    }
    if (done.length > lines) break
  }
  if (line !== '') done.push(line.trimEnd())
  if (done.length <= lines) return done
  const last = done[lines - 1] ?? ''
  return [...done.slice(0, lines - 1), `${[...last].slice(0, Math.max(1, [...last].length - 1)).join('')}…`]
}

/** Splits a text into pieces between which a line may break. */
function piecesOf(text: string): string[] {
  return (
    text.match(
      /\s*[^\s\u2e80-\ua4cf\uac00-\ud7a3\uff00-\uff60]+|\s*[\u2e80-\ua4cf\uac00-\ud7a3\uff00-\uff60]/gu,
    ) ?? []
  )
}

function fitting(text: string, size: number, width: number): string {
  let taken = ''
  for (const letter of text) {
    if (taken !== '' && textWidth(taken + letter, size) > width) break
    taken += letter
  }
  return taken
}
