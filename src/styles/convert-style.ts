import type { StyleFormat } from './languages.ts'
import { getStyleLanguage } from './languages.ts'
import type { WrittenStyle } from './losses.ts'
import type { Style } from './model.ts'
import { readStyle } from './read-style.ts'
import { writeSld } from './sld/write-sld.ts'

/**
 * Converts a style document to another format; returns it unchanged if it already has that format. Undefined
 * if the conversion is not supported. Throws `Failure` (`invalid`) if the document is invalid in its format.
 */
export function convertStyle(
  { name, format, document }: { name: string; format: StyleFormat; document: string },
  requested: StyleFormat,
): string | undefined {
  if (format === requested) return document
  const style = readStyle({ format, document })
  return style === undefined ? undefined : writeStyle(style, name, requested)?.document
}

/**
 * Writes a style in one of the formats, with the list of what the document cannot express; undefined if there
 * is no such document.
 */
export function writeStyle(style: Style, name: string, requested: StyleFormat): WrittenStyle | undefined {
  return getStyleLanguage(requested).write(style, name)
}

/**
 * Converts a style to SLD 1.1 with symbols of SE 1.1; undefined if its document contains nothing that can be
 * drawn.
 */
export function convertToSe({
  name,
  ...styled
}: {
  name: string
  format: StyleFormat
  document: string
}): string | undefined {
  const isSe =
    styled.format === 'sld' && /<(?:\w+:)?StyledLayerDescriptor[^>]*\sversion="1\.1/.test(styled.document)
  if (isSe) return styled.document
  const style = readStyle(styled)
  return style === undefined ? undefined : writeSld(style, name, '1.1.0').document
}
