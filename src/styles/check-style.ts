import { invalid } from '../core/errors/errors.ts'
import type { StyleFormat } from './model.ts'

/** Bytes of a style document at most. */
export const maxStyleBytes = 5 * 2 ** 20

/** Throws `Failure` (`invalid`) if a document is invalid in its format. */
export function checkStyleDocument(format: StyleFormat, document: string): void {
  if (Buffer.byteLength(document) > maxStyleBytes)
    throw invalid('invalid-style', 'The style document is larger than 5 MiB')
  if (format === 'maplibre') checkMapLibre(document)
  else checkXml(document, format === 'sld' ? 'StyledLayerDescriptor' : 'qgis')
}

function checkMapLibre(document: string): void {
  const style = parseObject(document)
  if (style?.version === 8 && Array.isArray(style.layers)) return
  throw invalid('invalid-style', 'A MapLibre style is JSON with "version": 8 and a list of "layers"')
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

function checkXml(document: string, root: string): void {
  if (root !== 'qgis' && /<!DOCTYPE|<!ENTITY/i.test(document))
    throw invalid('invalid-style', 'The style document has a DOCTYPE, which is not accepted')
  const [, found] =
    /<(?:[\w.-]+:)?([A-Za-z][\w.-]*)[\s/>]/.exec(document.replace(/<!--[\s\S]*?-->/g, '')) ?? []
  if (found === root && /^\s*</.test(document.replace(/^\uFEFF/, ''))) return
  throw invalid(
    'invalid-style',
    `The style document is XML with the root element ${root}, found ${found ?? 'none'}`,
  )
}
