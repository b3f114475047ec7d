import type { Pictures } from '../../../render/index.ts'
import { requestSignal } from '../../request-properties.ts'
import type { ExceptionText } from '../ows-failure.ts'
import { backgroundOf } from './draw-layers.ts'
import { maxCells, readColor, readMapFormat } from './get-map.ts'
import type { WmsRequest } from './wms-request.ts'

const fontSize = 13
const lineHeight = 18
const maxLines = 40
const margin = 8
/** Widths of letters are taken for this share of their size. */
const letterWidth = 0.55

/**
 * Returns an image for a failure of GetMap, if the request wants no report: with the message (`INIMAGE`), or
 * empty (`BLANK`; OGC 06-042, section 7.3.3.11; in 1.1.1 `application/vnd.ogc.se_inimage` and `se_blank`).
 * Undefined if a report is requested, or no such image can be made.
 */
export async function pictureOfFailure(
  pictures: Pictures,
  { values, reply }: Pick<WmsRequest, 'values' | 'reply'>,
  exceptionText: ExceptionText,
): Promise<{ bytes: Uint8Array; mediaType: string } | undefined> {
  const requested = values.find('exceptions') ?? ''
  const [, kind] = /^(?:application\/vnd\.ogc\.se_)?(inimage|blank)$/i.exec(requested) ?? []
  if (kind === undefined) return undefined
  try {
    const [width, height] = [values.requireCount('width', maxCells), values.requireCount('height', maxCells)]
    const { format, laid = format, mediaType } = readMapFormat(values.require('format'))
    const isTransparent = /^true$/i.test(values.find('transparent') ?? '') && format !== 'jpeg'
    const background = backgroundOf({ background: readColor(values.find('bgcolor')), isTransparent })
    const signal = requestSignal(reply)
    const words: Uint8Array[] = []
    if (/^inimage$/i.test(kind)) {
      const svg = wordsSvg(exceptionText, width, height)
      words.push(await pictures.fromSvg({ svg, ownWidth: width, width, height, format: 'png' }, signal))
    }
    const bytes = await pictures.lay({ pictures: words, width, height, background, format: laid }, signal)
    return { bytes, mediaType }
  } catch {
    return undefined
  }
}

/** The words in lines from the top; the texts are escaped already. */
function wordsSvg({ code, text }: ExceptionText, width: number, height: number): string {
  const lineLetters = Math.max(8, Math.floor((width - 2 * margin) / (fontSize * letterWidth)))
  const lines = linesOf(`${code}: ${text}`, lineLetters)
  const written = lines.map(
    (line, at) =>
      `<text x="${margin}" y="${margin + (at + 1) * lineHeight}" font-family="DejaVu Sans" font-size="${fontSize}" fill="#b00020" stroke="#ffffff" stroke-width="2" paint-order="stroke">${line}</text>`,
  )
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">${written.join('')}</svg>`
}

/** Wraps a text; an escaped character counts as one, and longer words are cut. */
function linesOf(text: string, letters: number): string[] {
  const lines: string[][] = [[]]
  for (const [letter] of text.matchAll(/&[#\w]+;|[\s\S]/gu)) {
    const line = lines.at(-1) ?? []
    if (line.length < letters) line.push(letter)
    else {
      const blank = line.lastIndexOf(' ')
      lines.push([...(blank > 0 ? line.splice(blank + 1) : []), letter])
    }
  }
  return lines.slice(0, maxLines).map((line) => line.join(''))
}
